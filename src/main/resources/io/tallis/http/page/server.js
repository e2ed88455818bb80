/** The view of this node as a server: load, latency, memory, disk, slow commands, clients, settings. */

import { Failure } from './api.js';
import { each, h, row, say, table } from './dom.js';
import { bytes, count, duration, micros, short, time } from './format.js';
import { attributes, client, info, pairs, plain, settings } from './parse.js';
import { Plot } from './plot.js';

const MILLIS = 4000;
const MOST_ROWS = 200;

/** @typedef {[string, '' | 'number'][]} Columns */
const LATENCY = /** @type {Columns} */ ([['Command', ''], ['Calls', 'number'], ['Median', 'number'], ['99 %', 'number'],
  ['99.9 %', 'number'], ['Errors', 'number']]);
const SLOW = /** @type {Columns} */ ([['When', ''], ['Took', 'number'], ['Command', ''], ['Client', '']]);
const CLIENTS = /** @type {Columns} */ ([['Address', ''], ['Name', ''], ['Connected', 'number'], ['Idle', 'number'],
  ['Last command', ''], ['Memory', 'number']]);

export class ServerView {
  #app;
  /** @type {number | undefined} */
  #timer;
  #plot = new Plot('Operations a second', short);
  /** @type {Map<string, any>} */
  #tiles = new Map();
  /** @type {ReturnType<typeof settings>} */
  #settings = [];
  /** @type {Map<string, string>} */
  #values = new Map();

  /** @param {import('./main.js').App} app */
  constructor(app) {
    this.#app = app;
    this.tiles = h('dl', { class: 'tiles' });
    this.latency = table('Commands and how long they took', LATENCY);
    this.slow = table('Slow commands', SLOW);
    this.clients = table('Clients', CLIENTS);
    this.noSlow = h('p', { class: 'about', hidden: true }, 'None so far.');
    this.filter = h('input', { type: 'search', placeholder: 'Find a setting …', 'aria-label': 'Find a setting',
      oninput: () => this.#drawSettings() });
    this.changed = h('input', { type: 'checkbox', onchange: () => this.#drawSettings() });
    this.list = h('dl', { class: 'settings' });
    this.summary = h('p', { class: 'about' });
    this.element = h('div', { class: 'page' },
      h('div', { class: 'head' }, h('h1', {}, 'Server'), this.summary),
      this.tiles,
      h('h2', {}, 'Operations a second'), this.#plot.element,
      h('h2', {}, 'Commands'), this.latency.element,
      h('h2', {}, 'Slow commands'), this.noSlow, this.slow.element,
      h('h2', {}, 'Clients'), this.clients.element,
      h('h2', {}, 'Settings'),
      h('p', { class: 'tools' }, this.filter, h('label', {}, this.changed, ' not the default')),
      this.list);
    app.pulse.addEventListener('change', () => this.element.isConnected && this.#draw());
  }

  open() {
    this.#app.title('Server');
  }

  shown() {
    this.#draw();
    this.#ask();
  }

  close() {
    clearTimeout(this.#timer);
  }

  #draw() {
    const { pulse } = this.#app;
    if (pulse.state === null) {
      return;
    }
    const fields = pulse.state.info;
    const text = (/** @type {string} */ name) => fields.get(name) ?? '';
    const n = (/** @type {string} */ name) => pulse.number(name);
    say(this.summary, `Tallis ${text('tallis_version')}, process ${text('process_id')}, runs for `
      + duration(n('uptime_in_seconds')));
    this.#tile('Counters', count(n('keys')), `${count(n('deleted_cells'))} deleted, not purged yet`);
    this.#tile('Operations', `${short(n('instantaneous_ops_per_sec'))} /s`, `${short(n('total_commands_processed'))} in all, `
      + `${count(n('total_error_replies'))} errors`);
    this.#tile('Memory of counters', bytes(n('used_memory')), `of ${bytes(n('maxmemory'))}`, n('used_memory') / n('maxmemory'));
    this.#tile('Heap', bytes(n('heap_used')), `of ${bytes(n('heap_max'))}`, n('heap_used') / n('heap_max'));
    const off = text('aof_enabled') === '0';
    const failed = text('aof_last_write_status') === 'err' || text('checkpoint_failure') !== '';
    this.#tile('Journal', off ? 'off' : bytes(n('journal_bytes')), off ? 'counters are in memory only' : failed
      ? `fails: ${text('journal_last_failure') || text('checkpoint_failure')}`
      : `${count(n('journal_segments'))} ${n('journal_segments') === 1 ? 'file' : 'files'}, ${text('appendfsync') === 'always' ? 'on the disk before each answer'
        : `on the disk ${micros(n('journal_last_sync_ms_ago') * 1000)} ago`}`, undefined, failed);
    const checkpoint = n('checkpoint_last_epoch_ms');
    this.#tile('Checkpoint', off ? 'off' : checkpoint < 0 ? 'none yet' : time(checkpoint), off ? 'there is no journal' : checkpoint < 0 ? 'taken when the journal has grown'
      : `${count(n('checkpoint_last_cells'))} counters in ${micros(n('checkpoint_last_ms') * 1000)}`);
    this.#tile('Clients', count(n('connected_clients')), `of ${count(n('maxclients'))}`);
    this.#tile('Network', `${n('instantaneous_input_kbps').toFixed(1)} kB/s in`,
      `${n('instantaneous_output_kbps').toFixed(1)} kB/s out`);
    this.#plot.draw(pulse.operations, 0);
  }

  /** @param {string} name @param {string} value @param {string} note @param {number} [part] @param {boolean} [bad] */
  #tile(name, value, note, part, bad) {
    let tile = this.#tiles.get(name);
    if (tile === undefined) {
      const meter = part === undefined ? null : h('span', { class: 'meter', role: 'meter', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': `${name} in use` }, h('i'));
      tile = { value: h('dd', { class: 'figure' }), note: h('dd', { class: 'note' }), meter };
      tile.element = h('div', { class: 'tile' }, h('dt', {}, name), tile.value, tile.note,
        meter && h('dd', {}, meter));
      this.tiles.append(tile.element);
      this.#tiles.set(name, tile);
    }
    say(tile.value, value);
    say(tile.note, note);
    tile.element.classList.toggle('bad', bad === true);
    if (tile.meter !== null) {
      const percent = Math.round(Math.min(1, part ?? 0) * 100);
      tile.meter.setAttribute('aria-valuenow', percent);
      tile.meter.classList.toggle('high', percent > 90);
      tile.meter.firstChild.style.width = `${percent}%`;
    }
  }

  /** @param {Map<string, string>} fields */
  #drawLatency(fields) {
    const commands = [...fields].filter(([name]) => name.startsWith('cmdstat_')).map(([name, value]) => {
      const command = name.slice('cmdstat_'.length);
      return {
        command: command.replace('|', ' ').toUpperCase(),
        ...attributes(value),
        ...attributes(fields.get(`latency_percentiles_usec_${command}`) ?? ''),
      };
    }).sort((/** @type {any} */ a, /** @type {any} */ b) => b.calls - a.calls);
    const took = (/** @type {string | undefined} */ value) => (value === undefined ? '' : micros(Number(value)));
    each(this.latency.body, commands, ({ command }) => command, () => row(LATENCY, (/** @type {any} */ c) => [
      c.command, count(Number(c.calls)), took(c.p50), took(c.p99), took(c['p99.9']),
      count(Number(c.failed_calls) + Number(c.rejected_calls)),
    ]));
  }

  async #ask() {
    clearTimeout(this.#timer);
    try {
      const [took, slow, clients, values] = await this.#app.api.commands([
        ['INFO', 'commandstats', 'latencystats'], ['SLOWLOG', 'GET', 50], ['CLIENT', 'LIST'], ['CONFIG', 'GET', '*']]);
      if (this.#settings.length === 0) {
        this.#settings = settings(await (await fetch('/page/tallis.conf')).text());
      }
      if (!(took instanceof Failure)) {
        this.#drawLatency(info(took));
      }
      if (!(slow instanceof Failure)) {
        this.#drawSlow(slow);
      }
      if (!(clients instanceof Failure)) {
        const all = clients.trim().split('\n').slice(0, MOST_ROWS).map(client);
        each(this.clients.body, all, (/** @type {any} */ { id }) => id, () => row(CLIENTS, (/** @type {any} */ c) => [
          c.addr, c.name ?? '', duration(Number(c.age)), duration(Number(c.idle)),
          (c.cmd ?? '').replace('|', ' ').toUpperCase(), bytes(Number(c['tot-mem'])),
        ]));
      }
      if (!(values instanceof Failure)) {
        this.#values = new Map(pairs(values));
        this.#drawSettings();
      }
    } catch (e) {
      if (!(e instanceof Failure)) {
        throw e;
      }
    }
    if (this.element.isConnected) {
      this.#timer = setTimeout(() => this.#ask(), MILLIS);
    }
  }

  /** @param {any[][]} entries */
  #drawSlow(entries) {
    this.noSlow.hidden = entries.length > 0;
    this.slow.element.hidden = entries.length === 0;
    const now = new Date();
    each(this.slow.body, entries, ([id]) => String(id), () => row(SLOW, ([, when, took, words, address]) => [
      time(when * 1000, now), micros(took), words.join(' '), address ?? '',
    ]));
  }

  #drawSettings() {
    const wanted = this.filter.value.trim().toLowerCase();
    const chosen = this.#settings.filter(({ name, text, standard }) =>
      (name.includes(wanted) || text.toLowerCase().includes(wanted))
        && (!this.changed.checked || !same(this.#values.get(name) ?? '', standard)));
    let section = '';
    const items = chosen.flatMap((setting) => {
      const heading = setting.section === section ? [] : [{ heading: setting.section }];
      ({ section } = setting);
      return [...heading, setting];
    });
    each(this.list, /** @type {any[]} */ (items), ({ heading, name }) => heading ?? name, ({ heading, name, text, live, standard }) => {
      if (heading !== undefined) {
        return Object.assign(h('div', { class: 'section' }, h('dt', {}, heading)), { update() {} });
      }
      const value = h('code');
      const element = h('div', {}, h('dt', {}, name), h('dd', {}, value),
        h('dd', { class: 'note' }, text, live && h('small', {}, ' Can be changed while the node runs.')));
      return Object.assign(element, {
        update: () => {
          const now = this.#values.get(name) ?? '';
          say(value, now === '' ? '–' : now);
          element.classList.toggle('changed', !same(now, standard));
        },
      });
    });
  }
}

/** @param {string} value @param {string} standard */
const same = (value, standard) => value === plain(standard);
