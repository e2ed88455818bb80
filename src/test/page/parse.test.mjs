import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EventReader, attributes, client, info, pairs, pattern, plain, settings, visible } from '../../main/resources/io/tallis/http/page/parse.js';

const STREAM = 'retry: 2000\n\ndata: {"name":"ä","value":1}\n\n: alive\n\nevent: missed\r\ndata: {}\r\n\r\ndata:a\ndata: b\n\n';
const EVENTS = [
  { event: 'message', data: '{"name":"ä","value":1}' },
  { event: 'missed', data: '{}' },
  { event: 'message', data: 'a\nb' },
];

test('events are the same wherever the stream is cut', () => {
  for (let cut = 0; cut <= STREAM.length; cut++) {
    const reader = new EventReader();
    assert.deepEqual([...reader.read(STREAM.slice(0, cut)), ...reader.read(STREAM.slice(cut))], EVENTS);
  }
  const reader = new EventReader();
  assert.deepEqual([...STREAM].flatMap((character) => reader.read(character)), EVENTS);
});

test('fields of INFO', () => {
  const fields = info('# Server\r\ntcp_port:1\r\nempty:\r\npeer0:name=a,lag_ms=5\r\n');
  assert.deepEqual([...fields.keys()], ['tcp_port', 'empty', 'peer0']);
  assert.deepEqual({ ...attributes(fields.get('peer0')) }, { name: 'a', lag_ms: '5' });
});

test('maps of RESP and clients', () => {
  assert.deepEqual(pairs(['a', 1, 'b', [2]]), [['a', 1], ['b', [2]]]);
  assert.equal(client('id=3 addr=127.0.0.1:5 name= cmd=client|list').cmd, 'client|list');
  assert.equal(client('id=3 addr=127.0.0.1:5 name= cmd=client|list').name, '');
});

test('a search is for the beginning of a name', () => {
  assert.deepEqual(['', 'a/b', 'what?', '[x]', '*visits', 'a*b', 'a\\'].map(pattern),
    ['*', 'a/b*', 'what\\?*', '\\[x\\]*', '*visits', 'a*b', 'a\\\\*']);
});

test('visible rows of a long list', () => {
  assert.deepEqual(visible(0, 400, 40, 1000, 5), { first: 0, end: 15 });
  assert.deepEqual(visible(4000, 400, 40, 1000, 5), { first: 95, end: 115 });
  assert.deepEqual(visible(39_600, 400, 40, 1000, 5), { first: 985, end: 1000 });
  assert.deepEqual(visible(39_600, 400, 40, 3, 5), { first: 3, end: 3 });
  assert.deepEqual(visible(0, 400, 40, 0, 5), { first: 0, end: 0 });
});

test('every setting of tallis.conf has a section and a description', () => {
  const all = settings(readFileSync(new URL('../../../conf/tallis.conf', import.meta.url), 'utf8'));
  assert.ok(all.length > 40);
  for (const { name, section, text } of all) {
    assert.match(name, /^[a-z-]+$/);
    assert.notEqual(section, '');
    assert.match(text, /\.$/);
  }
  const limit = all.find(({ name }) => name === 'value-max-len');
  assert.deepEqual([limit.section, limit.live, plain(limit.standard)], ['Memory', true, '65536']);
  assert.equal(plain('normal 64mb 16mb 60'), 'normal 67108864 16777216 60');
});
