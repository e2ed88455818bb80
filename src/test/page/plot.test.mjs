import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticks } from '../../main/resources/io/tallis/http/page/plot.js';

test('an axis has few round steps', () => {
  assert.deepEqual(ticks(0, 10, 4), [0, 5, 10]);
  assert.deepEqual(ticks(103, 197, 4), [150]);
  assert.deepEqual(ticks(-30, 30, 4), [-20, 0, 20]);
  assert.deepEqual(ticks(5, 5, 4).length, 1);
  for (const high of [1, 7, 99, 12345, 1e15]) {
    assert.ok(ticks(0, high, 4).length <= 5);
  }
});
