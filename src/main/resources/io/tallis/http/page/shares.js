/** What each node contributed to a counter, as bars. */

import { h } from './dom.js';
import { count } from './format.js';

/** A value that was set; the changes since are those of nodes. */
export const ASSIGNED = '(assigned)';
const COLOURS = 8;

/** The class for the colour of a node. @param {import('./pulse.js').Pulse} pulse @param {string} node */
export function colour(pulse, node) {
  const place = pulse.place(node);
  return node === ASSIGNED ? 'assigned' : place < 0 ? 'former' : `node-${place % COLOURS}`;
}

/** What a contribution is called. @param {string} node */
export const contributor = (node) => (node === ASSIGNED ? 'set to' : node);

/** @param {bigint} value */
export const size = (value) => (value < 0n ? -value : value);

/**
 * A bar with a piece for each node, as long as what the node added or subtracted. `update` takes the contributions.
 * @param {import('./pulse.js').Pulse} pulse
 * @returns {any}
 */
export function bar(pulse) {
  const element = h('span', { class: 'bar', role: 'img' });
  element.update = (/** @type {Map<string, bigint> | undefined} */ raw = new Map()) => {
    const parts = [...raw].filter(([, part]) => part !== 0n).sort(([a], [b]) => pulse.place(a) - pulse.place(b));
    const total = parts.reduce((sum, [, part]) => sum + size(part), 0n);
    while (element.children.length < parts.length) {
      element.append(h('i'));
    }
    while (element.children.length > parts.length) {
      element.lastChild.remove();
    }
    parts.forEach(([node, part], i) => {
      const piece = element.children[i];
      piece.className = `${colour(pulse, node)}${part < 0n ? ' minus' : ''}`;
      piece.style.flexGrow = String(Number((size(part) * 10000n) / total) + 1);
    });
    const text = parts.map(([node, part]) => `${contributor(node)} ${count(part)}`).join(', ');
    element.setAttribute('aria-label', text);
    element.setAttribute('aria-hidden', String(text === ''));
    element.title = text;
  };
  return element;
}
