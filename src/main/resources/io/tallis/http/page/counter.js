/** One counter: its value over time, what each node and session contributed, and how to change it. */

import { Failure } from './api.js';
import { ask, each, field, h, row, say, table } from './dom.js';
import { count, duration, kind, percent, whole } from './format.js';
import { record, pairs } from './parse.js';
import { Plot } from './plot.js';
import { ASSIGNED, colour, contributor, size } from './shares.js';

const MILLIS = 1000;
/** Up to here a number of JavaScript has room for fractions, which the plot needs. */
const EXACT = 2n ** 50n;

/** @type {[string, '' | 'number'][]} */
const NODES = [['Node', ''], ['', ''], ['Counted', 'number'], ['Share', 'number']];
/** @type {[string, '' | 'number'][]} */
const SESSIONS = [['Session', ''], ['Node', ''], ['Added', 'number'], ['Subtracted', 'number'], ['Deleted since', 'number']];

export class Counter {
  #app;
  #id;
  #first = 0n;
  #plot;
  #closed = new AbortController();
  #timer;

  /** @param {import('./main.js').App} app @param {import('./live.js').Id} id */
  constructor(app, id) {
    this.#app = app;
    this.#id = id;
    this.#plot = new Plot('Value', (value) => count(this.#first + BigInt(Math.round(value))));
    this.heading = h('h2', { tabindex: -1 }, id.name);
    this.value = h('output', { class: 'big', 'aria-live': 'off', 'aria-label': 'Value' }, '…');
    this.note = h('p', { class: 'about' });
    this.error = h('p', { class: 'error', role: 'alert' });
    this.done = h('p', { class: 'unseen', role: 'status' });
    this.nodes = table('What each node counted', NODES);
    this.sessions = table('What each session counted', SESSIONS);
    this.details = h('details', { ontoggle: () => this.#ask() }, h('summary', {}, 'By session'),
      h('p', { class: 'about' }, 'A session is one run of a node: it begins when the node starts. Only it adds to what '
        + 'is listed here; deleting raises the last column.'),
      this.sessions.element);
    this.parts = h('div', {}, h('h3', {}, 'By node'), this.nodes.element, this.details);
    this.deletion = h('button', { type: 'button', class: 'danger quiet', onclick: () => this.#delete() }, 'Delete …');
    this.element = h('article', { class: 'counter' },
      h('a', { class: 'back', href: '#/counters' }, '‹ All counters'),
      this.heading,
      this.value, this.note, this.#form(), this.error, this.done,
      this.#plot.element, this.parts);
    app.live.watch('counter', [id]);
    app.live.addEventListener('change', () => this.#draw(), { signal: this.#closed.signal });
    this.#timer = setInterval(() => {
      this.#draw();
      this.#ask();
    }, MILLIS);
    this.#draw();
    this.#ask();
  }

  focus() {
    this.heading.focus();
  }

  close() {
    clearInterval(this.#timer);
    this.#closed.abort();
    this.#app.live.watch('counter', []);
  }

  #form() {
    const amount = h('input', {
      name: 'amount', value: '1', inputmode: 'numeric', pattern: '[1-9][0-9]{0,19}', required: true, autocomplete: 'off', 'aria-label': 'Amount',
    });
    const changes = this.#id.type === 'pncount';
    return h('form', {
      class: 'change',
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const sign = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value === 'subtract' ? -1n : 1n;
        this.#change(sign * BigInt(amount.value));
      },
    },
    amount,
    h('button', { class: 'primary', value: 'add' }, 'Add'),
    changes && h('button', { value: 'subtract' }, 'Subtract'),
    h('span', { class: 'gap' }),
    changes && h('button', { type: 'button', onclick: () => this.#set() }, 'Set …'),
    this.deletion);
  }

  /** @param {bigint} change */
  async #change(change) {
    try {
      await this.#app.api.increment(this.#id.type, this.#id.name, change);
      say(this.error, '');
      say(this.done, `${change < 0n ? 'Subtracted' : 'Added'} ${count(size(change))} at ${new Date().toLocaleTimeString()}`);
    } catch (e) {
      say(this.error, /** @type {Error} */ (e).message);
    }
  }

  #set() {
    ask({
      title: `Set ${this.#id.name}`,
      text: ['All nodes take this value. What other nodes count until they hear of it is added to it.'],
      action: 'Set',
      fields: [field('Value', {
        name: 'value', required: true, inputmode: 'numeric', pattern: '-?[0-9]{1,19}',
        value: String(this.#app.live.get(this.#id)?.value ?? 0),
      })],
      run: async (form) => {
        await this.#app.api.command('PNCOUNT', 'SET', this.#id.name, String(form.get('value')));
      },
    });
  }

  #delete() {
    ask({
      title: `Delete ${this.#id.name}?`,
      text: [`Its value is ${count(this.#app.live.get(this.#id)?.value ?? 0)}. It is deleted on all nodes, and nothing `
        + 'brings it back. What other nodes count until they hear of it stays.'],
      action: 'Delete',
      danger: true,
      run: async () => {
        await this.#app.api.remove(this.#id.type, this.#id.name);
      },
    });
  }

  #draw() {
    const seen = this.#app.live.get(this.#id);
    if (seen === undefined) {
      return;
    }
    say(this.value, seen.value !== null ? count(seen.value) : seen.changed > 0 ? 'Deleted' : 'No such counter');
    const gone = seen.value === null;
    this.value.classList.toggle('gone', gone);
    this.parts.hidden = gone;
    this.deletion.hidden = gone;
    this.#plot.element.hidden = gone && seen.changed === 0;
    const [{ v }] = seen.history;
    this.#first = size(v) < EXACT ? 0n : v;
    this.#plot.draw(seen.history.map(({ t, v }) => ({ t, v: Number(v - this.#first) })));
    const parts = [...seen.raw].sort(([a], [b]) => this.#app.pulse.place(a) - this.#app.pulse.place(b));
    const total = parts.reduce((sum, [, part]) => sum + size(part), 0n);
    const rows = parts.map(([node, part]) => ({ node, part, total }));
    each(this.nodes.body, rows, ({ node }) => node, ({ node }) => {
      const fill = h('i');
      const track = h('span', { class: 'track', 'aria-hidden': 'true' }, fill);
      const name = h('span', { class: 'node-name' }, contributor(node));
      return row(NODES, (/** @type {typeof rows[0]} */ now) => {
        fill.className = `${colour(this.#app.pulse, node)}${now.part < 0n ? ' minus' : ''}`;
        fill.style.width = now.total === 0n ? '0' : `${Number((size(now.part) * 1000n) / now.total) / 10}%`;
        return [name, track, count(now.part), node === ASSIGNED ? '' : percent(size(now.part), now.total)];
      });
    });
  }

  /** What the stream of values does not tell: the deadline, and the sessions while they are open. */
  async #ask() {
    const { type, name } = this.#id;
    try {
      const [left, full] = await this.#app.api.commands(
        this.details.open ? [[type, 'PTTL', name], [type, 'RAW', name, 'FULL']] : [[type, 'PTTL', name]],
        this.#closed.signal);
      const ends = !(left instanceof Failure) && left >= 0 ? ` It ends in ${duration(left / 1000)}.` : '';
      say(this.note, `Counts ${kind(type)}.${ends}`);
      if (full !== undefined && !(full instanceof Failure)) {
        this.#drawSessions(pairs(full));
      }
    } catch {
      // The top of the page says that the node does not answer.
    }
  }

  /** @param {[string, any][]} shards */
  #drawSessions(shards) {
    const all = shards.map(([session, shard]) => ({ session, ...record(Array.isArray(shard) ? shard : []) }));
    each(this.sessions.body, all, ({ session }) => session, () => row(SESSIONS, (/** @type {any} */ shard) => [
      shard.session.slice(0, 8), shard.node ?? '', ...['p', 'n'].map((part) => number(shard[part])),
      number((whole(shard.rp) ?? 0n) + (whole(shard.rn) ?? 0n)),
    ]));
  }
}

/** @param {any} json */
function number(json) {
  const value = whole(json);
  return value === null ? '' : count(value);
}
