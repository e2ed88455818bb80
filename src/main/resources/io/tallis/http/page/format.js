/** Numbers, sizes and times as people read them. Pure functions. */

const NUMBER = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/**
 * A counter's value. It has 64 bits, more than a number of JavaScript holds, so the server sends a string for a big one.
 * @param {number | string | bigint | null | undefined} json
 * @returns {bigint | null}
 */
export function whole(json) {
  if (json === null || json === undefined || !/^-?\d+$/.test(String(json))) {
    return null;
  }
  return BigInt(json);
}

/** What a type of counter is called. @param {string} type */
export const kind = (type) => (type === 'gcount' ? 'only up' : 'up and down');

/** `-1234567` is `−1,234,567`: the minus sign is as wide as a digit. @param {bigint | number} value */
export function count(value) {
  return NUMBER.format(value).replace('-', '−');
}

/** `1234567` is `1.2M`. @param {bigint | number} value */
export function short(value) {
  const size = value < 0 ? -value : value;
  return (size < 10000 ? NUMBER.format(value) : SHORT.format(value)).replace('-', '−');
}

/** Of a total that may be far beyond 2^53, in percent. @param {bigint} part @param {bigint} total */
export function percent(part, total) {
  if (total === 0n) {
    return '';
  }
  const tenths = Number((part * 1000n) / total) / 10;
  return part !== 0n && tenths === 0 ? '<0.1%' : `${tenths.toFixed(tenths < 10 && tenths !== 0 ? 1 : 0)}%`;
}

/** @param {number} value */
export function bytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let left = value;
  while (left >= 1000 && unit < units.length - 1) {
    left /= 1024;
    unit++;
  }
  return `${unit === 0 || left >= 100 ? Math.round(left) : left.toFixed(1)} ${units[unit]}`;
}

/** The two largest units of a time: `3 d 4 h`. @param {number} seconds */
export function duration(seconds) {
  const s = Math.max(0, Math.round(seconds));
  const parts = [
    [Math.floor(s / 86400), 'd'],
    [Math.floor(s / 3600) % 24, 'h'],
    [Math.floor(s / 60) % 60, 'min'],
    [s % 60, 's'],
  ];
  const first = parts.findIndex(([n]) => n !== 0);
  return first < 0
    ? '0 s'
    : parts.slice(first, first + 2).filter(([n]) => n !== 0).map(([n, unit]) => `${n} ${unit}`).join(' ');
}

/** A short time: `850 µs`, `12 ms`, `1.5 s`. @param {number} micros */
export function micros(micros) {
  if (micros < 1000) {
    return `${micros < 10 ? Number(micros.toFixed(1)) : Math.round(micros)} µs`;
  }
  if (micros < 1_000_000) {
    return `${(micros / 1000).toFixed(micros < 10_000 ? 1 : 0)} ms`;
  }
  return `${(micros / 1_000_000).toFixed(1)} s`;
}

const two = (/** @type {number} */ n) => String(n).padStart(2, '0');

/** The time of day; with the date unless it is of this day. @param {number} epochMillis @param {Date} [now] */
export function time(epochMillis, now = new Date()) {
  const then = new Date(epochMillis);
  const clock = `${two(then.getHours())}:${two(then.getMinutes())}:${two(then.getSeconds())}`;
  return then.toDateString() === now.toDateString()
    ? clock
    : `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())} ${clock}`;
}
