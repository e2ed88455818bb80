package io.tallis.arch;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/// The dependency rules of the architecture page, executable. Think hard before changing one.
///
/// A rule about a package that does not exist yet holds.
final class ArchitectureTest {
    private static final JavaClasses TALLIS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("/bench-classes/"))
            .importPackages("io.tallis");

    private static final Set<String> TIME_CALLS = Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.lang.Thread.sleep",
            "java.util.concurrent.TimeUnit.sleep",
            "java.util.Date.<init>");

    private static final Set<String> CHANCE_CALLS = Set.of("java.lang.Math.random", "java.util.UUID.randomUUID");

    private static final Set<String> THREAD_CALLS = Set.of(
            "java.lang.Thread.<init>",
            "java.lang.Thread.ofPlatform",
            "java.lang.Thread.ofVirtual",
            "java.lang.Thread.startVirtualThread");

    private static final Set<String> PROCESS_CALLS = Set.of(
            "java.lang.System.exit",
            "java.lang.Runtime.exit",
            "java.lang.Runtime.halt",
            "java.lang.System.out",
            "java.lang.System.err");

    private static final Set<String> GIVING_TASKS = Set.of(
            "execute",
            "executeAfterEventLoopIteration",
            "lazyExecute",
            "submit",
            "invokeAll",
            "invokeAny",
            "schedule",
            "scheduleAtFixedRate",
            "scheduleWithFixedDelay");

    // Who sees whom.

    @Test
    void crdt_dependsOnTheJdkOnly() {
        var annotationsForTools = resideInAnyPackage("org.jspecify..", "com.google.errorprone.annotations..");

        check(classes()
                .that()
                .resideInAPackage("io.tallis.crdt..")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("java..", "io.tallis.crdt..").or(annotationsForTools)));
    }

    @Test
    void runtime_isALeaf() {
        check(only("runtime"));
    }

    @Test
    void metrics_isALeaf() {
        check(only("metrics"));
    }

    @Test
    void wire_seesTheLatticeOnly() {
        check(only("wire", "crdt", "runtime", "metrics"));
    }

    @Test
    void keyspace_seesTheLatticeAndItsBinaryFormOnly() {
        check(only("keyspace", "crdt", "wire", "runtime", "metrics"));
    }

    @Test
    void command_seesNothingAboveTheKeyspace() {
        check(only("command", "acl", "script", "keyspace", "crdt", "runtime", "metrics"));
    }

    /// The other way round only commands and the dispatcher see users: what clients are knows an interface.
    @Test
    void acl_seesWhatCommandsAreWrittenWithOnly() {
        check(only("acl", "command", "runtime"));
        check(noClasses()
                .that(in("acl"))
                .should()
                .dependOnClassesThat(in(
                        "command.dispatch",
                        "command.acl",
                        "command.connection",
                        "command.server",
                        "command.transaction")));
    }

    @Test
    void script_knowsNeitherCommandsNorCounters() {
        check(only("script", "runtime"));
    }

    @Test
    void resp_seesNothingAboveTheCommands() {
        check(only("resp", "command", "keyspace", "crdt", "runtime", "metrics"));
    }

    @Test
    void http_seesConnectionsFactsOfCommandsAndThoseWhoWatchOnly() {
        check(only("http", "resp", "command.facts", "watch", "runtime"));
    }

    @Test
    void watch_seesNothingAboveTheKeyspace() {
        check(only("watch", "keyspace", "crdt", "runtime"));
    }

    @Test
    void http_isKnownToServerOnly() {
        check(known("http", "server"));
    }

    @Test
    void journal_seesKeyspaceAndWireButNotTheCluster() {
        check(only("journal", "keyspace", "wire", "crdt", "runtime", "metrics"));
    }

    @Test
    void journal_isBuiltInLayers() {
        check(only("journal.disk", "runtime"));
        check(only("journal.log", "journal.disk", "keyspace", "wire", "crdt", "runtime", "metrics"));
        check(noClasses()
                .that(in("journal.checkpoint", "journal.rocksdb"))
                .should()
                .dependOnClassesThat(in("journal.backup", "journal.recovery")));
    }

    @Test
    void cluster_seesKeyspaceAndWireButNotTheJournal() {
        check(only("cluster", "keyspace", "wire", "crdt", "runtime", "metrics"));
    }

    @Test
    void cluster_isBuiltInLayers() {
        List<String> downwards = List.of("fold", "join", "pull", "delta", "peer", "frame", "records");
        String[] beneathAll = {"keyspace", "wire", "crdt", "runtime", "metrics"};
        for (int i = 0; i < downwards.size(); i++) {
            Stream<String> below =
                    downwards.subList(i + 1, downwards.size()).stream().map(name -> "cluster." + name);
            check(only(
                    "cluster." + downwards.get(i),
                    Stream.concat(below, Arrays.stream(beneathAll)).toArray(String[]::new)));
        }
        check(only("cluster.jgroups", "cluster.frame", "crdt", "runtime", "metrics"));
    }

    /// No count depends on what people are told.
    @Test
    void records_knowNothingOfCounters() {
        check(only("cluster.records", "wire", "crdt", "runtime"));
    }

    @Test
    void config_isKnownToServerAndCliOnly() {
        check(known("config", "server", "cli"));
    }

    @Test
    void server_isKnownToCliOnly() {
        check(known("server", "cli"));
    }

    @Test
    void cli_isKnownToNobody() {
        check(known("cli"));
    }

    @Test
    void adapters_areKnownToServerOnly() {
        check(known("journal.rocksdb", "server"));
        check(known("cluster.jgroups", "server"));
    }

    @Test
    void packages_haveNoCycles() {
        check(slices().assignedFrom(new EachPackage()).should().beFreeOfCycles());
    }

    @Test
    void packages_saySomethingAboutThemselvesAndAreNullMarked() {
        Stream<String> silent = TALLIS.stream()
                .map(JavaClass::getPackage)
                .distinct()
                .filter(owner -> !owner.isAnnotatedWith(NullMarked.class))
                .map(owner -> owner.getName() + " has no @NullMarked package-info.java");

        assertThat(silent).isEmpty();
    }

    // Who uses which library.

    @Test
    void netty_isUsedInRespAndHttpOnly() {
        check(library("io.netty..", "resp", "http"));
    }

    @Test
    void jackson_isUsedInHttpOnly() {
        check(library("com.fasterxml..", "http"));
    }

    /// Who gives an event loop a task in another way loses what the task throws.
    @Test
    void eventLoops_getTasksOfOursThroughLoopTaskOnly() {
        var gives = describe(
                "gives an executor of Netty a task",
                (JavaAccess<?> access) ->
                        access.getTargetOwner().isAssignableTo(io.netty.util.concurrent.EventExecutorGroup.class)
                                && GIVING_TASKS.contains(access.getName()));

        check(noClasses()
                .that(in("resp", "http"))
                .and()
                .doNotHaveSimpleName("LoopTask")
                .should()
                .accessTargetWhere(gives));
    }

    @Test
    void jgroups_isUsedInItsAdapterOnly() {
        check(library("org.jgroups..", "cluster.jgroups"));
    }

    @Test
    void rocksdb_isUsedInItsAdapterOnly() {
        check(library("org.rocksdb..", "journal.rocksdb"));
    }

    @Test
    void picocli_isUsedInCliOnly() {
        check(library("picocli..", "cli"));
    }

    @Test
    void slf4j_isNotUsed() {
        check(library("org.slf4j.."));
    }

    // Who touches the world.

    @Test
    void time_isReadAndSpentInRuntimeOnly() {
        var askTheMachine = describe(
                "asks the machine for the time or sleeps",
                (JavaAccess<?> access) -> TIME_CALLS.contains(name(access)) || asksJavaTime(access));

        check(noClasses().that(notIn("runtime")).should().accessTargetWhere(askTheMachine));
    }

    @Test
    void chance_isTakenInRuntimeOnly() {
        check(noClasses().that(notIn("runtime")).should().accessTargetWhere(oneOf(CHANCE_CALLS)));
        check(noClasses()
                .that(notIn("runtime"))
                .should()
                .dependOnClassesThat()
                .areAssignableTo(java.util.random.RandomGenerator.class));
    }

    @Test
    void threads_areMadeInRuntimeOnly() {
        check(noClasses().that(notIn("runtime")).should().accessTargetWhere(oneOf(THREAD_CALLS)));
        check(noClasses()
                .that(notIn("runtime"))
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(
                        java.util.concurrent.Executors.class,
                        java.util.concurrent.ForkJoinPool.class,
                        java.util.Timer.class));
    }

    @Test
    void process_isEndedAndPrintedToInCliOnly() {
        check(noClasses().that(notIn("cli")).should().accessTargetWhere(oneOf(PROCESS_CALLS)));
    }

    @Test
    void threadLocals_areNotUsed() {
        check(noClasses().should().dependOnClassesThat().areAssignableTo(ThreadLocal.class));
        check(noClasses()
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("io.netty.util.concurrent.FastThreadLocal"));
    }

    @Test
    void internals_ofTheJdkAreNotUsed() {
        check(noClasses().should().dependOnClassesThat().resideInAnyPackage("sun..", "jdk.internal..", "com.sun.."));
    }

    @Test
    void reflection_isNotUsed() {
        check(noClasses().should().dependOnClassesThat().resideInAPackage("java.lang.reflect.."));
    }

    @Test
    void serialisation_ofJavaIsNotUsed() {
        check(noClasses()
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(
                        java.io.Serializable.class,
                        java.io.Externalizable.class,
                        java.io.ObjectInputStream.class,
                        java.io.ObjectOutputStream.class));
    }

    private static void check(ArchRule rule) {
        rule.check(TALLIS);
    }

    /// Of Tallis, `owner` sees itself and `others` only.
    private static ArchRule only(String owner, String... others) {
        var allowed = in(others).or(in(owner));
        return noClasses()
                .that(in(owner))
                .should()
                .dependOnClassesThat(resideInAPackage("io.tallis..").and(not(allowed)));
    }

    /// Nobody but `users` sees `owner`.
    private static ArchRule known(String owner, String... users) {
        return noClasses().that(not(in(users).or(in(owner)))).should().dependOnClassesThat(in(owner));
    }

    private static ArchRule library(String packages, String... users) {
        return noClasses().that(notIn(users)).should().dependOnClassesThat(resideInAPackage(packages));
    }

    private static DescribedPredicate<JavaClass> in(String... owners) {
        String[] packages =
                Arrays.stream(owners).map(owner -> "io.tallis." + owner + "..").toArray(String[]::new);
        return resideInAnyPackage(packages);
    }

    private static DescribedPredicate<JavaClass> notIn(String... owners) {
        return not(in(owners));
    }

    private static DescribedPredicate<JavaAccess<?>> oneOf(Set<String> targets) {
        return describe("is one of " + targets, access -> targets.contains(name(access)));
    }

    /// `Instant.now()` and its kin, and the clocks of `java.time`.
    private static boolean asksJavaTime(JavaAccess<?> access) {
        JavaClass asked = access.getTargetOwner();
        boolean clock =
                asked.isEquivalentTo(java.time.Clock.class) || asked.isEquivalentTo(java.time.InstantSource.class);
        return asked.getPackageName().startsWith("java.time")
                && (access.getName().equals("now") || (clock && access.getName().startsWith("system")));
    }

    private static String name(JavaAccess<?> access) {
        return access.getTargetOwner().getName() + "." + access.getName();
    }

    /// A slice for each package, so that a family and its parent are two.
    private static final class EachPackage implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName());
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    }
}
