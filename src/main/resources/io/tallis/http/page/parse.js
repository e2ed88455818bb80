/** What the server sends, taken apart. Pure functions. */

/**
 * The fields of `INFO`, which are lines `name:value`.
 * @param {string} text
 * @returns {Map<string, string>}
 */
export function info(text) {
  const fields = new Map();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0 && !line.startsWith('#')) {
      fields.set(line.slice(0, colon), line.slice(colon + 1));
    }
  }
  return fields;
}

/**
 * The value of a field that is a list: `name=south,state=ready`.
 * @param {string} text
 * @returns {Record<string, string>}
 */
export function attributes(text) {
  const all = Object.create(null);
  for (const part of text.split(',')) {
    const equals = part.indexOf('=');
    if (equals > 0) {
      all[part.slice(0, equals)] = part.slice(equals + 1);
    }
  }
  return all;
}

/**
 * A map of RESP, which arrives as a list of names and values in turn.
 * @param {any[]} list
 * @returns {[string, any][]}
 */
export function pairs(list) {
  const all = [];
  for (let i = 0; i + 1 < list.length; i += 2) {
    all.push([String(list[i]), list[i + 1]]);
  }
  return /** @type {[string, any][]} */ (all);
}

/** The same as an object. @param {any[]} list @returns {Record<string, any>} */
export function record(list) {
  return Object.assign(Object.create(null), Object.fromEntries(pairs(list)));
}

/**
 * A line of `CLIENT LIST`: `id=3 addr=127.0.0.1:54196 name= ...`.
 * @param {string} line
 * @returns {Record<string, string>}
 */
export function client(line) {
  return attributes(line.split(' ').join(','));
}

/**
 * The sections and settings of `tallis.conf`. A setting has its description in the comment above it; a comment alone
 * between empty lines is the title of a section.
 * @param {string} text
 * @returns {{name: string, section: string, text: string, standard: string, live: boolean}[]}
 */
export function settings(text) {
  const all = [];
  let section = '';
  for (const block of text.split(/\n\s*\n/).slice(1)) {
    const lines = block.trim().split('\n');
    const comments = lines.filter((line) => line.startsWith('#')).map((line) => line.slice(1).trim());
    const setting = lines.find((line) => !line.startsWith('#') && line.trim() !== '');
    if (setting === undefined) {
      section = comments.join(' ');
      continue;
    }
    const [, name, value] = /** @type {RegExpMatchArray} */ (setting.match(/^(\S+)\s*(.*)$/));
    const doc = comments.join(' ');
    all.push({
      name,
      section,
      text: doc.replace(/\s*\(live\)/, ''),
      standard: value.replace(/^"(.*)"$/, '$1'),
      live: doc.includes('(live)'),
    });
  }
  return all;
}

/** A value of `tallis.conf` as the server shows it: `64kb` is 65536. @param {string} value */
export function plain(value) {
  return value.replace(/\b(\d+)(kb|mb|gb)\b/g, (_, digits, unit) =>
    String(Number(digits) * 1024 ** (['kb', 'mb', 'gb'].indexOf(unit) + 1)));
}

/**
 * Reads server-sent events. Give it text as it arrives, cut anywhere; it returns the events that are complete.
 * Comments, which keep connections open, are no events.
 */
export class EventReader {
  #rest = '';
  #event = '';
  /** @type {string[]} */
  #data = [];

  /** @param {string} text @returns {{event: string, data: string}[]} */
  read(text) {
    const events = [];
    const lines = (this.#rest + text).split('\n');
    this.#rest = /** @type {string} */ (lines.pop());
    for (const ended of lines) {
      const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
      if (line === '') {
        if (this.#data.length > 0) {
          events.push({ event: this.#event || 'message', data: this.#data.join('\n') });
        }
        this.#event = '';
        this.#data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') {
        this.#event = value;
      } else if (field === 'data') {
        this.#data.push(value);
      }
    }
    return events;
  }
}

/**
 * A pattern of `SCAN` for what a person types: names that begin so, or with a `*` in it, names of that form.
 * @param {string} typed
 */
export function pattern(typed) {
  const escaped = typed.replace(/[?[\]\\^]/g, '\\$&');
  return typed.includes('*') ? escaped : `${escaped}*`;
}

/**
 * Which rows of a long list are visible, and some around them.
 * @param {number} top how far it is scrolled
 * @param {number} height of what is visible
 * @param {number} rowHeight
 * @param {number} rows
 * @param {number} around
 * @returns {{first: number, end: number}}
 */
export function visible(top, height, rowHeight, rows, around) {
  const first = Math.max(0, Math.floor(top / rowHeight) - around);
  const end = Math.min(rows, Math.ceil((top + height) / rowHeight) + around);
  return { first: Math.min(first, end), end };
}
