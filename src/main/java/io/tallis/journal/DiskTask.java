package io.tallis.journal;

import java.io.IOException;

/// Something that the disk may refuse.
@FunctionalInterface
interface DiskTask {
    void run() throws IOException;
}
