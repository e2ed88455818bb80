/** The values of the counters that are visible, as they change. */

import { Failure } from './api.js';
import { whole } from './format.js';
import { pairs } from './parse.js';

/** How long views may scroll until what they show is watched. */
const SETTLE_MILLIS = 120;
const RETRY_MILLIS = 1000;
/** A stream that brings nothing for so long, not even its first values, is held up by a proxy. */
const SILENCE_MILLIS = 4000;
const POLL_MILLIS = 1000;
/** The server takes request lines of 64 KB. */
const LONGEST_PATH = 60_000;
const KEPT_MILLIS = 10 * 60_000;
const MOST_KEPT = 2000;

/** @typedef {{type: string, name: string}} Id */

/**
 * @typedef {object} Seen
 * @property {bigint | null} value null when there is no such counter
 * @property {Map<string, bigint>} raw by node
 * @property {{t: number, v: bigint}[]} history in the order of time
 * @property {number} changed when the value changed last, in ms; 0 if it has not been seen to change
 */

export const key = (/** @type {Id} */ { type, name }) => `${type} ${name}`;

export class Live extends EventTarget {
  #api;
  /** @type {Map<string, Id[]>} */
  #wanted = new Map();
  /** @type {Map<string, Seen>} */
  #seen = new Map();
  /** @type {Map<string, {names: string, abort: AbortController}>} */
  #streams = new Map();
  /** @type {number | undefined} */
  #timer;
  /** Whether streams do not work here, so that values are asked for each second. */
  polls = false;

  /** @param {import('./api.js').Api} api */
  constructor(api) {
    super();
    this.#api = api;
    document.addEventListener('visibilitychange', () => this.#later());
  }

  /** What is known of a counter. @param {Id} id @returns {Seen | undefined} */
  get(id) {
    return this.#seen.get(key(id));
  }

  /** Watches these counters for a view, in place of those before. @param {string} view @param {Id[]} ids */
  watch(view, ids) {
    this.#wanted.set(view, ids);
    this.#later();
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#restart(), SETTLE_MILLIS);
  }

  #restart() {
    const all = new Map([...this.#wanted.values()].flat().map((id) => [key(id), id]));
    for (const type of ['pncount', 'gcount']) {
      const names = document.hidden ? [] : [...all.values()].filter((id) => id.type === type).map((id) => id.name);
      const text = names.sort().join('\n');
      const running = this.#streams.get(type);
      if (running?.names !== text) {
        running?.abort.abort();
        this.#streams.delete(type);
        if (names.length > 0) {
          const abort = new AbortController();
          this.#streams.set(type, { names: text, abort });
          this.#run(type, names, abort.signal);
        }
      }
    }
    this.#forget(all);
  }

  /** @param {string} type @param {string[]} names @param {AbortSignal} signal */
  async #run(type, names, signal) {
    const path = `/counters/watch?type=${type}&raw=true${names.map((name) => `&id=${encodeURIComponent(name)}`).join('')}`;
    while (!signal.aborted) {
      const polls = this.polls || path.length > LONGEST_PATH;
      try {
        await (polls ? this.#poll(type, names, signal) : this.#stream(type, names, path, signal));
      } catch {
        // The top of the page says that the node does not answer.
      }
      await new Promise((resolve) => {
        setTimeout(resolve, polls ? POLL_MILLIS : RETRY_MILLIS);
      });
    }
  }

  /** @param {string} type @param {string[]} names @param {string} path @param {AbortSignal} signal */
  async #stream(type, names, path, signal) {
    /** Counters that are not among the present values do not exist. */
    let missing = new Set(names);
    const own = new AbortController();
    const end = () => own.abort();
    signal.addEventListener('abort', end);
    const silence = setTimeout(() => {
      this.polls = true;
      end();
    }, SILENCE_MILLIS);
    try {
      for await (const { event, data } of this.#api.events(path, own.signal, () => clearTimeout(silence))) {
        if (event === 'missed') {
          missing = new Set(names);
        } else if (event === 'complete') {
          missing.forEach((name) => this.#take({ type, name }, null, []));
          missing.clear();
        } else {
          const { name, value, raw } = JSON.parse(data);
          missing.delete(name);
          this.#take({ type, name }, whole(value), Object.entries(raw ?? {}));
        }
        this.dispatchEvent(new Event('change'));
      }
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', end);
    }
  }

  /** @param {string} type @param {string[]} names @param {AbortSignal} signal */
  async #poll(type, names, signal) {
    const [values, ...raws] = await this.#api.commands(
      [[type, 'MGET', ...names], ...names.map((name) => [type, 'RAW', name])], signal);
    if (values instanceof Failure) {
      throw values;
    }
    names.forEach((name, i) => {
      const raw = raws[i] instanceof Failure ? [] : pairs(raws[i]);
      this.#take({ type, name }, raw.length === 0 ? null : whole(values[i]), raw);
    });
    this.dispatchEvent(new Event('change'));
  }

  /** @param {Id} id @param {bigint | null} value @param {[string, any][]} raw */
  #take(id, value, raw) {
    const now = Date.now();
    const seen = this.#seen.get(key(id)) ?? { value: null, raw: new Map(), history: [], changed: 0 };
    if (seen.history.length > 0 && seen.value !== value) {
      seen.changed = now;
    }
    if (seen.history.length === 0 || seen.value !== value) {
      seen.history.push({ t: now, v: value ?? 0n });
      while (seen.history.length > 1 && seen.history[1].t < now - KEPT_MILLIS) {
        seen.history.shift();
      }
    }
    seen.value = value;
    seen.raw = new Map(raw.flatMap(([node, part]) => {
      const number = whole(part);
      return number === null ? [] : [[node, number]];
    }));
    this.#seen.set(key(id), seen);
  }

  /** Keeps a bounded number of counters that are not watched any more. @param {Map<string, Id>} watched */
  #forget(watched) {
    for (const old of this.#seen.keys()) {
      if (this.#seen.size <= MOST_KEPT) {
        return;
      }
      if (!watched.has(old)) {
        this.#seen.delete(old);
      }
    }
  }
}
