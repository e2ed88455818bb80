/// What clients of Redis Cluster ask for, at a port of their own.
///
/// Such a client asks for a map of 16,384 slots and sends each command to the node that has the slot of its key. Here
/// every node answers for every key, so the map does not say where a key is. It spreads the load, keeps a key on one
/// node while nodes stay, and names another node when one is lost. No command is ever redirected.
///
/// [Slot] computes the slot of a key, [SlotMap] gives slots to nodes, [Slots] follows the cluster, [SlotCommands]
/// answers clients. [SlotRefusals] answers at all other ports. Nothing of it is on the way of a command at those.
@NullMarked
package io.tallis.command.slots;

import org.jspecify.annotations.NullMarked;
