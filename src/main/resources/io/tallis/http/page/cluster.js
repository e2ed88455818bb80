/** The view of the cluster, as this node sees it: its nodes, and what happened. */

import { Failure } from './api.js';
import { ask, each, h, say, show } from './dom.js';
import { bytes, count, duration, short, time } from './format.js';
import { record } from './parse.js';
import { sparkline } from './plot.js';

const EVENTS = 200;
const MILLIS = 2000;
const STATES = /** @type {Record<string, [text: string, tone: string]>} */ ({
  loading: ['reads its disk', 'busy'], seeking: ['looks for others', 'busy'], pulling: ['fetches counters', 'busy'],
  catching_up: ['catches up', 'busy'], ready: ['ready', 'good'], held: ['held', 'busy'], left: ['stopped', 'off'], unreachable: ['unreachable', 'bad'],
  'read-only': ['read-only', 'bad'],
});
const AGREEMENT = /** @type {Record<string, string>} */ ({
  yes: 'equal', repaired: 'differed, brought up to date', not_compared: 'not compared yet',
});

export class ClusterView {
  #app;
  /** @type {number | undefined} */
  #timer;
  #hasHold = false;
  /** How far a join had come: time in ms and percent. @type {{t: number, v: number}[]} */
  #progress = [];

  /** @param {import('./main.js').App} app */
  constructor(app) {
    this.#app = app;
    this.nodes = h('ul', { class: 'nodes' });
    this.summary = h('p', { class: 'about', role: 'status' });
    this.events = h('ol', { class: 'events', role: 'log', 'aria-label': 'Events', tabindex: 0 });
    this.hold = h('button', { class: 'quiet', hidden: true, onclick: () => this.#askHold() }, 'Hold this node …');
    this.ready = h('button', { class: 'primary', hidden: true, onclick: () => this.#askReady() }, 'Make this node ready …');
    this.element = h('div', { class: 'page' },
      h('div', { class: 'head' }, h('h1', {}, 'Cluster'), this.summary, this.hold, this.ready),
      this.nodes,
      h('h2', {}, 'Events'), this.events);
    app.pulse.addEventListener('change', () => this.#draw());
    app.api.command('COMMAND', 'INFO', 'system|hold').then(([known]) => {
      this.#hasHold = known !== null;
      this.#draw();
    }, () => {});
    this.#draw();
  }

  open() {
    this.#app.title('Cluster');
  }

  shown() {
    this.#askEvents();
  }

  close() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #draw() {
    const { state, error } = this.#app.pulse;
    if (state === null) {
      return;
    }
    const fields = state.info;
    const own = fields.get('node_state');
    this.#note(Number(fields.get('node_joined_perc')));
    const ready = state.nodes.filter((node) => node.state === 'ready').length;
    say(this.summary, `${ready} of ${state.nodes.length} ${state.nodes.length === 1 ? 'node' : 'nodes'} ready, `
      + `as ${fields.get('node_name')} ${error === '' ? 'sees it' : `saw it at ${time(state.time)}`}`);
    this.ready.hidden = own === 'ready' && fields.get('node_held') !== '1';
    this.hold.hidden = !this.#hasHold || !this.ready.hidden;
    each(this.nodes, state.nodes, (node) => node.uuid, () => this.#card());
  }

  /** @param {number} percent */
  #note(percent) {
    const last = this.#progress.at(-1);
    if (last !== undefined && percent < last.v) {
      this.#progress = [];
    }
    this.#progress = [...this.#progress, { t: Date.now(), v: percent }].slice(-10);
  }

  /** How long the join will take, if it goes on like that. */
  #left() {
    const [first, last] = [this.#progress[0], /** @type {{t: number, v: number}} */ (this.#progress.at(-1))];
    return last.v <= first.v ? null : ((100 - last.v) * (last.t - first.t)) / (last.v - first.v) / 1000;
  }

  #card() {
    const name = h('h2');
    const state = h('span', { class: 'state' });
    const progress = h('progress', { max: 100, 'aria-label': 'Join' });
    const join = h('div', { class: 'join' }, progress, h('span'));
    const facts = h('dl');
    const spark = sparkline('Rate');
    const rate = h('figcaption');
    const buttons = h('p', { class: 'buttons' });
    const link = h('a', { class: 'button quiet', rel: 'noreferrer' }, 'Open its page');
    const card = h('li', { class: 'card' }, h('header', {}, name, state), join,
      h('figure', { class: 'rate' }, rate, spark), facts, buttons);
    /** @type {import('./pulse.js').Node} */
    let shown;
    const forget = h('button', { class: 'quiet', onclick: () => this.#askForget(shown) }, 'Forget …');
    card.update = (/** @type {import('./pulse.js').Node} */ node) => {
      shown = node;
      const [text, tone] = STATES[node.state] ?? [node.state, 'busy'];
      say(name, node.name);
      say(state, node.self && this.#app.pulse.state?.info.get('node_held') === '1' ? 'held' : text);
      state.className = `state ${tone}`;
      card.classList.toggle('self', node.self);
      this.#drawJoin(node, join, progress);
      this.#drawFacts(node, facts);
      spark.update(node.rates);
      const now = node.rates.at(-1) ?? 0;
      say(rate, node.self || node.peer !== null ? `${short(now)} operations a second` : 'nothing arrives from it');
      const gone = node.state === 'left' || node.state === 'unreachable';
      link.href = node.page ?? '';
      show(buttons, [...(node.page !== null && !node.self && !gone ? [link] : []), ...(gone ? [forget] : [])]);
    };
    return card;
  }

  /** @param {import('./pulse.js').Node} node @param {any} join @param {any} progress */
  #drawJoin(node, join, progress) {
    const { pulse } = this.#app;
    const percent = pulse.number('node_joined_perc');
    join.hidden = !node.self || pulse.state?.info.get('node_state') === 'ready';
    progress.value = percent;
    const left = this.#left();
    say(join.lastChild, `${percent}% · ${bytes(pulse.number('pulled_bytes'))} fetched${left === null ? ''
      : ` · about ${duration(left)} to go`}`);
  }

  /** @param {import('./pulse.js').Node} node @param {HTMLElement} facts */
  #drawFacts(node, facts) {
    const { pulse } = this.#app;
    const fields = /** @type {Map<string, string>} */ (pulse.state?.info);
    /** @type {[string, string][]} */
    const all = [['Address', node.address], ['Starts', count(node.starts)]];
    if (node.self) {
      all.push(['Version', fields.get('tallis_version') ?? ''],
        ['Runs for', duration(pulse.number('uptime_in_seconds'))]);
      // A node without a cluster has all that there is.
      if (fields.has('node_complete')) {
        all.push(['Has all counters', fields.get('node_complete') === '1' ? 'yes' : 'no, not yet']);
      }
    } else if (node.peer !== null) {
      all.push(['Version', node.peer.version], ['Runs for', duration(Number(node.peer.uptime_in_seconds))]);
      const { lag_ms: lag, lag_frames: frames, last_contact_ms: contact, clock_ahead_ms: clock, agrees } = node.peer;
      all.push(['Behind this node', Number(frames) === 0 ? 'no' : `${count(Number(lag))} ms, ${count(Number(frames))} ${frames === '1' ? 'message' : 'messages'}`],
        ['Compared with this node', AGREEMENT[agrees] ?? agrees],
        ['Last heard', `${count(Number(contact))} ms ago`],
        ['Its clock', Math.abs(Number(clock)) < 50 ? 'right' : `${count(Math.abs(Number(clock)))} ms ${Number(clock) > 0 ? 'ahead' : 'behind'}`]);
    }
    each(facts, all, ([name]) => name, ([name]) => {
      const value = h('dd');
      const element = h('div', {}, h('dt', {}, name), value);
      return Object.assign(element, { update: (/** @type {[string, string]} */ [, text]) => say(value, text) });
    });
  }

  async #askEvents() {
    clearTimeout(this.#timer);
    try {
      const events = (await this.#app.api.command('SYSTEM', 'GETLOG', EVENTS)).map(record).reverse();
      const now = new Date();
      each(this.events, events, (/** @type {any} */ e) => `${e.time} ${e.session} ${e.text}`, (/** @type {any} */ e) =>
        Object.assign(h('li', {}, h('time', {}, time(e.time, now)), h('b', {}, e.node), h('span', {}, e.text)), { update() {} }));
    } catch (e) {
      if (!(e instanceof Failure)) {
        throw e;
      }
    }
    if (this.element.isConnected) {
      this.#timer = setTimeout(() => this.#askEvents(), MILLIS);
    }
  }

  /** @param {string[]} words */
  async #run(...words) {
    await this.#app.api.command(...words);
    this.#app.pulse.now();
    this.#askEvents();
  }

  #askHold() {
    ask({
      title: 'Hold this node?',
      text: ['It refuses all clients until it is made ready again. It still takes in what other nodes count.'],
      action: 'Hold',
      danger: true,
      run: () => this.#run('SYSTEM', 'HOLD'),
    });
  }

  #askReady() {
    ask({
      title: 'Make this node ready?',
      text: ['It serves data from now on, complete or not. Its values may be too low until it has what other nodes have. '
        + 'If no node with all counters can be reached, what this node has counts as all there is.'],
      action: 'Make ready',
      danger: true,
      run: () => this.#run('SYSTEM', 'READY'),
    });
  }

  /** @param {import('./pulse.js').Node} node */
  #askForget(node) {
    ask({
      title: `Forget ${node.name}?`,
      text: ['All nodes stop waiting for it and stop showing it, until it starts again. What it counted stays, as far as '
        + 'other nodes have it. Do this only for a node that will not come back.'],
      action: 'Forget',
      danger: true,
      run: () => this.#run('SYSTEM', 'FORGET', node.uuid),
    });
  }
}
