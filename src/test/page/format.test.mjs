import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, count, duration, micros, percent, short, time, whole } from '../../main/resources/io/tallis/http/page/format.js';

test('values of 64 bits stay exact', () => {
  assert.equal(count(whole('18446744073709551615')), '18,446,744,073,709,551,615');
  assert.equal(count(whole(-9007199254740991)), '−9,007,199,254,740,991');
  assert.equal(whole('-9223372036854775808') - 1n, -9223372036854775809n);
});

test('what is no whole number has no value', () => {
  for (const text of [null, undefined, '', 'hello', '1.5', '0x10', ' 1']) {
    assert.equal(whole(text), null);
  }
});

test('short numbers', () => {
  assert.deepEqual([0, 9999, 12_345, -1_234_567n].map(short), ['0', '9,999', '12.3K', '−1.2M']);
});

test('percent of totals beyond 2^53', () => {
  assert.equal(percent(1n, 0n), '');
  assert.equal(percent(0n, 5n), '0%');
  assert.equal(percent(1n, 2n ** 64n), '<0.1%');
  assert.equal(percent(2n ** 63n, 2n ** 64n), '50%');
  assert.equal(percent(1n, 40n), '2.5%');
});

test('sizes and times', () => {
  assert.deepEqual([0, 999, 1024, 1536, 858_993_459, 2 ** 40].map(bytes), ['0 B', '999 B', '1.0 kB', '1.5 kB', '819 MB', '1.0 TB']);
  assert.deepEqual([-1, 0.4, 59, 61, 3600, 90_061].map(duration), ['0 s', '0 s', '59 s', '1 min 1 s', '1 h', '1 d 1 h']);
  assert.deepEqual([0.25, 850, 1500, 42_000, 1_500_000].map(micros), ['0.3 µs', '850 µs', '1.5 ms', '42 ms', '1.5 s']);
});

test('the time of another day has its date', () => {
  const now = new Date(2026, 10, 27, 12, 0, 0);
  assert.equal(time(new Date(2026, 10, 27, 9, 5, 7).getTime(), now), '09:05:07');
  assert.equal(time(new Date(2026, 10, 26, 9, 5, 7).getTime(), now), '2026-11-26 09:05:07');
});
