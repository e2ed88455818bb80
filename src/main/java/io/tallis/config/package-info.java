/// Settings: which there are, where their values come from, and which may change while the server runs.
///
/// Owns the catalogue of settings, the file in redis.conf's form, and the order in which file, environment and
/// command line overrule each other. Does not know what a setting does: the composition root makes each part's
/// record of it.
///
/// Threads: any thread may read; changes are made one after the other.
///
/// Read [Settings], [Setting], [SettingType] and, for what operators of Redis say, [RedisSetting]; then
/// [ConfigLoader] and [Config].
@NullMarked
package io.tallis.config;

import org.jspecify.annotations.NullMarked;
