/** The view of counters: the list, and beside it the counter that is open. */

import { Failure } from './api.js';
import { Counter } from './counter.js';
import { ask, each, field, h, say } from './dom.js';
import { count, kind, whole } from './format.js';
import { Search, TYPES, VirtualList } from './list.js';
import { key } from './live.js';
import { bar, colour } from './shares.js';

/** @typedef {import('./live.js').Id} Id */

const TYPING_MILLIS = 150;
const AGAIN_MILLIS = 4000;
/** Longer lists are not searched again by themselves when a counter is new. */
const SHORT_SEARCH = 20_000;
const KINDS = { all: 'All', pncount: 'Up and down', gcount: 'Only up' };

/** Where a counter is shown. @param {Id} id */
export const address = ({ type, name }) => `#/counters/${type}/${encodeURIComponent(name)}`;

export class CountersView {
  #app;
  #search;
  #list;
  /** @type {Counter | null} */
  #counter = null;
  /** @type {number | undefined} */
  #typing;
  #keys = -1;
  #searched = 0;

  /** @param {import('./main.js').App} app */
  constructor(app) {
    this.#app = app;
    this.#search = new Search(app.api);
    this.#list = new VirtualList('Counters', key, (id) => this.#row(id),
      (id) => {
        location.hash = address(id);
      },
      (ids) => app.live.watch('list', ids));
    this.input = h('input', {
      type: 'search', placeholder: 'Find names that begin with …', 'aria-label': 'Find names that begin with', spellcheck: 'false',
      autocomplete: 'off', title: 'With a * the name may have any text there: *visits', oninput: () => this.#type(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'ArrowDown') {
          event.preventDefault();
          this.#list.element.focus();
        }
      },
    });
    this.kinds = h('select', { 'aria-label': 'Kind of counter', onchange: () => this.#begin() },
      ...Object.entries(KINDS).map(([value, text]) => h('option', { value }, text)));
    this.legend = h('ul', { class: 'legend', 'aria-label': 'Colours of nodes' });
    this.found = h('p', { class: 'found', role: 'status' });
    this.more = h('button', { class: 'quiet', onclick: () => this.#search.more() }, 'Look for more');
    this.empty = h('div', { class: 'empty', hidden: true });
    this.side = h('section', { class: 'side', 'aria-label': 'Counter' });
    this.element = h('div', { class: 'counters' },
      h('section', { class: 'names', 'aria-label': 'List' },
        h('h1', { class: 'unseen' }, 'Counters'),
        h('div', { class: 'tools' }, this.input, this.kinds,
          h('button', { class: 'primary', onclick: () => this.#create() }, 'New')),
        this.legend, this.#list.element, this.empty,
        h('div', { class: 'foot' }, this.found, this.more)),
      this.side);
    this.#search.addEventListener('change', () => this.#show());
    app.live.addEventListener('change', () => this.#drawSoon());
    app.pulse.addEventListener('change', () => this.#onPulse());
    this.#begin();
  }

  /** @param {string[]} path `[]`, or type and name of the counter to open */
  open([type, name]) {
    const id = TYPES.includes(type) && name !== undefined ? { type, name } : null;
    const wasInside = this.side.contains(document.activeElement);
    this.#counter?.close();
    this.#counter = id === null ? null : new Counter(this.#app, id);
    this.element.classList.toggle('opened', id !== null);
    this.side.replaceChildren(this.#counter?.element
      ?? h('p', { class: 'hint' }, 'Choose a counter to see where it was counted, and how it changes.'));
    this.#list.select(id === null ? null : key(id));
    if (this.#counter !== null && this.#list.element.offsetParent === null) {
      this.#counter.focus();
    } else if (wasInside) {
      this.#list.element.focus();
    }
    this.#app.title(id === null ? 'Counters' : id.name);
  }

  close() {
    this.#counter?.close();
    this.#counter = null;
    this.#app.live.watch('list', []);
  }

  shown() {
    this.#list.draw();
  }

  #types() {
    return this.kinds.value === 'all' ? TYPES : [this.kinds.value];
  }

  #type() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#begin(), TYPING_MILLIS);
  }

  #begin() {
    this.#list.restart();
    this.#searched = Date.now();
    this.#search.start(this.input.value, this.#types());
    this.#show();
  }

  /** Looks again when there are more or fewer counters than before. */
  #onPulse() {
    const { pulse } = this.#app;
    each(this.legend, pulse.state?.nodes ?? [], (node) => node.uuid, () => {
      const swatch = h('i');
      const name = h('span');
      return Object.assign(h('li', {}, swatch, name), {
        update: (/** @type {import('./pulse.js').Node} */ node) => {
          swatch.className = colour(pulse, node.name);
          say(name, node.name);
        },
      });
    });
    const keys = pulse.number('keys');
    const changed = keys !== this.#keys;
    if (this.#search.error !== '' || (changed && this.#keys >= 0)) {
      if (!this.#search.running && this.#search.visited < SHORT_SEARCH && Date.now() - this.#searched > AGAIN_MILLIS) {
        this.#searched = Date.now();
        this.#keys = keys;
        this.#search.again(this.#types());
      }
      return;
    }
    this.#keys = keys;
    this.#show();
  }

  #show() {
    const { ids, complete, running, error, full } = this.#search;
    this.#list.items = ids;
    const keys = this.#app.pulse.number('keys');
    const searching = this.input.value !== '' || this.kinds.value !== 'all';
    const percent = Math.min(99, Math.floor((this.#search.visited / Math.max(1, keys * this.#types().length)) * 100));
    say(this.found, error !== '' ? ''
      : complete ? `${count(ids.length)} ${ids.length === 1 ? 'counter' : 'counters'}`
      : running ? `${count(ids.length)} so far, ${percent}% searched`
      : `A sample of ${count(ids.length)}${searching ? '' : ` of ${count(keys)}`}: names between them are missing`);
    this.more.hidden = complete || running || full || error !== '';
    const [title, text] = error !== '' ? ['The counters cannot be read now.', error]
      : searching ? ['No counter has such a name.',
        'The search is for the beginning of a name. With a * it finds any text there: *visits']
      : ['There is no counter yet.', 'A counter begins to exist when something is counted: by a program, or here with New.'];
    this.empty.hidden = error === '' && !(complete && ids.length === 0);
    each(this.empty, [title, text], (line) => line, (line) => Object.assign(h('p', {}, line), { update() {} }));
  }

  #drawSoon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.#list.draw();
    });
  }

  /** @param {Id} id */
  #row(id) {
    const value = h('span', { class: 'value' });
    const shares = bar(this.#app.pulse);
    const row = h('div', { class: 'row', role: 'option' },
      h('span', { class: 'kind', title: `Counts ${kind(id.type)}` }, id.type === 'gcount' ? '↑' : '↕',
        h('span', { class: 'unseen' }, kind(id.type))),
      h('span', { class: 'name', title: id.name }, id.name),
      value, shares);
    let changed = 0;
    row.update = () => {
      const seen = this.#app.live.get(id);
      const text = seen === undefined ? '…' : seen.value !== null ? count(seen.value) : seen.changed > 0 ? 'deleted' : 'none';
      say(value, text);
      row.classList.toggle('gone', seen !== undefined && seen.value === null);
      shares.update(seen?.raw);
      if (seen !== undefined && seen.changed > changed) {
        changed = seen.changed;
        value.getAnimations().forEach((/** @type {Animation} */ animation) => animation.cancel());
        value.animate([{ backgroundColor: 'var(--flash)' }, { backgroundColor: 'transparent' }], 900);
      }
    };
    return row;
  }

  #create() {
    const type = h('label', { class: 'field' }, h('span', {}, 'Kind'),
      h('select', { name: 'type' }, h('option', { value: 'pncount' }, 'Up and down: add, subtract, set'),
        h('option', { value: 'gcount' }, 'Only up: add')));
    ask({
      title: 'New counter',
      text: [],
      action: 'Create',
      fields: [
        field('Name', { name: 'name', required: true, value: this.input.value.replaceAll('*', '') }),
        type,
        field('Count', { name: 'change', required: true, inputmode: 'numeric', pattern: '[1-9][0-9]{0,19}', value: '1' }),
      ],
      run: async (form) => {
        const id = { type: String(form.get('type')), name: String(form.get('name')) };
        const change = BigInt(String(form.get('change')));
        const value = await this.#valueOf(id);
        if (value === null) {
          await this.#add(id, change);
        } else {
          // When the dialog of this one has closed.
          setTimeout(() => this.#askToAdd(id, value, change));
        }
      },
    });
  }

  /** @param {Id} id @returns {Promise<bigint | null>} null when there is no such counter */
  async #valueOf({ type, name }) {
    const [left, values] = await this.#app.api.commands([[type, 'PTTL', name], [type, 'MGET', name]]);
    if (left instanceof Failure) {
      throw left;
    }
    return left === -2 ? null : whole(values[0]);
  }

  /** @param {Id} id @param {bigint} value @param {bigint} change */
  #askToAdd(id, value, change) {
    ask({
      title: `${id.name} exists`,
      text: [`Its value is ${count(value)}. Add ${count(change)} to it?`],
      action: `Add ${count(change)}`,
      run: () => this.#add(id, change),
    });
  }

  /** @param {Id} id @param {bigint} change */
  async #add(id, change) {
    await this.#app.api.increment(id.type, id.name, change);
    this.#search.again(this.#types());
    location.hash = address(id);
  }
}
