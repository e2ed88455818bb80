/** The names of counters: searched with a cursor, and a list that has elements for visible rows only. */

import { Failure } from './api.js';
import { h, show } from './dom.js';
import { pattern, visible } from './parse.js';

/** @typedef {import('./live.js').Id} Id */

export const TYPES = ['pncount', 'gcount'];
/** How many names are shown before a person asks for more. A list of all is too high for a browser. */
const FIRST = 5000;
const MOST = 200_000;
/** How many counters a call visits: few at first, more while it finds little. */
const FEWEST_VISITED = 1000;
const MOST_VISITED = 16_384;
const SORT_MILLIS = 400;

/** Searches names. `change` is told as more are found. */
export class Search extends EventTarget {
  #api;
  #abort = new AbortController();
  /** @type {Map<string, Set<string>>} */
  #names = new Map();
  /** Where to go on. @type {Map<string, string>} */
  #cursors = new Map();
  #typed = '';
  #limit = FIRST;
  /** In the order of names. @type {Id[]} */
  ids = [];
  /** How many counters it has looked at. */
  visited = 0;
  running = false;
  error = '';

  /** @param {import('./api.js').Api} api */
  constructor(api) {
    super();
    this.#api = api;
  }

  /** Whether nothing is left to find. */
  get complete() {
    return this.#cursors.size === 0 && !this.running;
  }

  /** Whether there may be more than a list can have. */
  get full() {
    return this.ids.length >= MOST;
  }

  /** Begins anew. @param {string} typed @param {string[]} types */
  start(typed, types) {
    this.#typed = typed;
    this.#limit = FIRST;
    this.#restart(types);
  }

  /** Looks again for the same, with what is shown staying until it is done. @param {string[]} types */
  again(types) {
    this.#restart(types);
  }

  more() {
    this.#limit = Math.min(MOST, this.#limit * 4);
    this.#run(this.#abort.signal);
  }

  /** @param {string[]} types */
  #restart(types) {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#names = new Map(types.map((type) => [type, new Set()]));
    this.#cursors = new Map(types.map((type) => [type, '0']));
    this.visited = 0;
    this.#run(this.#abort.signal);
  }

  /** @param {AbortSignal} signal */
  async #run(signal) {
    this.running = true;
    this.error = '';
    try {
      await this.#exact(signal);
      await this.#scan(signal);
    } catch (e) {
      if (!signal.aborted) {
        this.error = /** @type {Error} */ (e).message;
      }
    }
    if (!signal.aborted) {
      this.running = false;
      this.#tell();
    }
  }

  /** The counter of exactly this name comes first, since a search through millions takes a while. */
  async #exact(/** @type {AbortSignal} */ signal) {
    const types = [...this.#names.keys()];
    if (this.#typed === '' || this.visited > 0) {
      return;
    }
    const found = await this.#api.commands(types.map((type) => [type, 'PTTL', this.#typed]), signal);
    types.forEach((type, i) => {
      if (!(found[i] instanceof Failure) && found[i] !== -2) {
        this.#names.get(type)?.add(this.#typed);
      }
    });
    if (this.#size() > 0) {
      this.#tell();
    }
  }

  /** @param {AbortSignal} signal */
  async #scan(signal) {
    const match = pattern(this.#typed);
    let count = FEWEST_VISITED;
    let told = Date.now();
    for (const [type, from] of this.#cursors) {
      const names = /** @type {Set<string>} */ (this.#names.get(type));
      let cursor = from;
      do {
        if (this.#size() >= this.#limit) {
          return;
        }
        const [answer] = await this.#api.commands([[type, 'SCAN', cursor, 'MATCH', match, 'COUNT', count]], signal);
        if (answer instanceof Failure) {
          throw answer;
        }
        const found = /** @type {string[]} */ (answer[1]);
        found.forEach((name) => names.add(name));
        cursor = String(answer[0]);
        this.#cursors.set(type, cursor);
        this.visited += count;
        count = found.length < count / 4 ? Math.min(MOST_VISITED, count * 2) : count;
        if (Date.now() - told > SORT_MILLIS) {
          this.#tell();
          told = Date.now();
        }
      } while (cursor !== '0');
      this.#cursors.delete(type);
    }
  }

  #size() {
    let size = 0;
    this.#names.forEach((names) => {
      size += names.size;
    });
    return size;
  }

  #tell() {
    const all = [...this.#names].flatMap(([type, names]) => [...names].map((name) => ({ type, name })));
    this.ids = all.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.type < b.type ? 1 : -1)).slice(0, MOST);
    this.dispatchEvent(new Event('change'));
  }
}

const ROW = 38;
const AROUND = 6;

/**
 * A list box with rows of equal height. One row is active: the keys move it, Enter or a click opens it.
 * @template T
 */
export class VirtualList {
  /** @type {T[]} */
  #items = [];
  #active = 0;
  /** Whether a person has chosen the active row: until then it is the first, whatever is found. */
  #chosen = false;
  #make;
  #open;
  #seen;
  #key;
  #shown = '';
  /** @type {Map<string, any>} */
  #rows = new Map();

  /**
   * @param {string} label
   * @param {(item: T) => string} key
   * @param {(item: T) => any} make an element whose property `update` shows the item
   * @param {(item: T) => void} open
   * @param {(items: T[]) => void} seen told which are visible
   */
  constructor(label, key, make, open, seen) {
    this.#key = key;
    this.#make = make;
    this.#open = open;
    this.#seen = seen;
    this.space = h('div', { class: 'space', role: 'presentation' });
    this.element = h('div', {
      class: 'list', role: 'listbox', tabindex: 0, 'aria-label': label,
      onscroll: () => this.draw(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#press(event),
      onclick: (/** @type {MouseEvent} */ event) => this.#click(event),
    }, this.space);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Begins anew: the first row is active and in sight. */
  restart() {
    this.element.scrollTop = 0;
    this.#active = 0;
    this.#chosen = false;
  }

  /** Shows other items; the active one stays if it was chosen and is among them. @param {T[]} items */
  set items(items) {
    const active = this.#chosen ? this.#items[this.#active] : undefined;
    this.#items = items;
    const at = active === undefined ? -1 : items.findIndex((item) => this.#key(item) === this.#key(active));
    this.#active = Math.max(0, at < 0 ? Math.min(this.#active, items.length - 1) : at);
    this.draw();
  }

  /** Marks an item as the one that is open. @param {string | null} openKey */
  select(openKey) {
    this.openKey = openKey;
    const at = this.#items.findIndex((item) => this.#key(item) === openKey);
    this.#active = at < 0 ? this.#active : at;
    this.#chosen ||= at >= 0;
    this.draw();
  }

  draw() {
    const { scrollTop, clientHeight } = this.element;
    const { first, end } = visible(scrollTop, clientHeight, ROW, this.#items.length, AROUND);
    this.space.style.height = `${this.#items.length * ROW}px`;
    const items = this.#items.slice(first, end);
    const rows = new Map();
    items.forEach((item, i) => {
      const key = this.#key(item);
      const row = this.#rows.get(key) ?? this.#make(item);
      rows.set(key, row);
      row.id = `row-${first + i}`;
      row.at = first + i;
      row.style.transform = `translateY(${(first + i) * ROW}px)`;
      row.setAttribute('aria-setsize', this.#items.length);
      row.setAttribute('aria-posinset', first + i + 1);
      row.setAttribute('aria-selected', key === this.openKey);
      row.classList.toggle('active', first + i === this.#active);
      row.update(item);
    });
    // In the order of items, in which screen readers read them.
    show(this.space, [...rows.values()]);
    this.#rows = rows;
    this.element.setAttribute('aria-activedescendant', this.#items.length === 0 ? '' : `row-${this.#active}`);
    const shown = [...rows.keys()].join('\n');
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.#seen(items);
    }
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const row = /** @type {any} */ (/** @type {Element} */ (event.target).closest('[role=option]'));
    if (row !== null) {
      this.#active = row.at;
      this.#chosen = true;
      this.draw();
      this.#open(this.#items[row.at]);
    }
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 1);
    const last = this.#items.length - 1;
    /** @type {Record<string, number>} */
    const moves = {
      ArrowDown: this.#active + 1,
      ArrowUp: this.#active - 1,
      PageDown: this.#active + page,
      PageUp: this.#active - page,
      Home: 0,
      End: last,
    };
    if (event.key in moves && last >= 0) {
      event.preventDefault();
      this.#active = Math.min(last, Math.max(0, moves[event.key]));
      this.#chosen = true;
      this.#reveal();
      this.draw();
    } else if ((event.key === 'Enter' || event.key === ' ') && last >= 0) {
      event.preventDefault();
      this.#open(this.#items[this.#active]);
    }
  }

  #reveal() {
    const top = this.#active * ROW;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) {
      this.element.scrollTop = top;
    } else if (top + ROW > scrollTop + clientHeight) {
      this.element.scrollTop = top + ROW - clientHeight;
    }
  }
}
