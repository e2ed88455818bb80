package io.tallis.testing;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/// A JUnit extension that fails every test that would be skipped: what does not run proves nothing.
///
/// A disabled test fails before it starts, one that aborts itself fails there. `junit-platform.properties` switches
/// JUnit's own conditions off, so a test for one system only runs on all.
public final class NoSkippedTests implements ExecutionCondition, InvocationInterceptor {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (AnnotationSupport.isAnnotated(context.getElement(), Disabled.class)) {
            throw new AssertionFailedError(context.getDisplayName() + " is disabled: fix it or delete it");
        }
        return ConditionEvaluationResult.enabled("no test is skipped");
    }

    @Override
    public <T> T interceptTestClassConstructor(
            Invocation<T> invocation, ReflectiveInvocationContext<Constructor<T>> called, ExtensionContext context)
            throws Throwable {
        return proceed(invocation);
    }

    @Override
    public void interceptBeforeAllMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        proceed(invocation);
    }

    @Override
    public void interceptBeforeEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        proceed(invocation);
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        proceed(invocation);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        proceed(invocation);
    }

    @Override
    public <T> T interceptTestFactoryMethod(
            Invocation<T> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        return proceed(invocation);
    }

    @Override
    public void interceptDynamicTest(
            Invocation<Void> invocation, DynamicTestInvocationContext called, ExtensionContext context)
            throws Throwable {
        proceed(invocation);
    }

    @Override
    public void interceptAfterEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        proceed(invocation);
    }

    @Override
    public void interceptAfterAllMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        proceed(invocation);
    }

    private static <T> T proceed(Invocation<T> invocation) throws Throwable {
        try {
            return invocation.proceed();
        } catch (TestAbortedException aborted) {
            throw new AssertionFailedError("a test must not skip itself: " + aborted.getMessage(), aborted);
        }
    }
}
