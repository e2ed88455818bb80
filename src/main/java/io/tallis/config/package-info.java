/// Settings: the catalogue of them, where their values come from, and how live ones change while the server runs.
///
/// Owns the configuration file in the format of redis.conf, and the precedence: the environment overrides the file, the
/// command line overrides both. Does not know what a setting does: `server` derives from the values the record of
/// settings that each component gets.
///
/// Threads: any thread may read; changes are serialized.
///
/// Read [Settings] with [Setting] and [SettingType], then [ConfigLoader] and [Config]; [RedisSetting] has the settings
/// of Redis that are accepted for compatibility.
@NullMarked
package io.tallis.config;

import org.jspecify.annotations.NullMarked;
