/** Plots of values over time, as SVG. */

import { h, svg, say } from './dom.js';
import { duration } from './format.js';

const HEIGHT = 180;
const LEFT = 8;
const BOTTOM = 20;
const TOP = 10;
const LEAST_MILLIS = 60_000;
const MOST_MILLIS = 10 * 60_000;

/**
 * @typedef {{t: number, v: number}} Point a time in ms, and a value
 */

/** Round steps for an axis, of whole numbers. @param {number} low @param {number} high @param {number} most @returns {number[]} */
export function ticks(low, high, most) {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / most));
  const step = [1, 2, 5, 10].map((n) => Math.max(1, n * power)).find((s) => span / s <= most) ?? span;
  const all = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) {
    all.push(at);
  }
  return all;
}

/** Points as a path that stays at a value until the next one. @param {Point[]} points */
function steps(points, /** @type {(p: number) => number} */ x, /** @type {(p: number) => number} */ y) {
  return points.map(({ t, v }, i) => `${i === 0 ? 'M' : 'H'}${x(t).toFixed(1)}${i === 0 ? ' ' : 'V'}${y(v).toFixed(1)}`)
    .join('');
}

export class Plot {
  /** @type {Point[]} */
  #points = [];
  #from = 0;
  #to = 1;
  #low = 0;
  #high = 1;
  #width = 640;
  #format;

  /** @param {string} label @param {(value: number) => string} format */
  constructor(label, format) {
    this.#format = format;
    this.grid = svg('g', { class: 'grid' });
    this.area = svg('path', { class: 'area' });
    this.line = svg('path', { class: 'line' });
    this.cross = svg('g', { class: 'cross', visibility: 'hidden' },
      svg('line', { y1: TOP, y2: HEIGHT - BOTTOM }), svg('circle', { r: 4 }));
    this.picture = svg('svg', { 'aria-hidden': 'true' },
      this.grid, this.area, this.line, this.cross);
    this.labels = h('div', { class: 'labels', 'aria-hidden': 'true' });
    this.tip = h('div', { class: 'tip', hidden: true });
    this.text = h('figcaption', { class: 'unseen' });
    this.element = h('figure', {
      class: 'plot',
      onpointermove: (/** @type {PointerEvent} */ event) => this.#point(event),
      onpointerleave: () => this.#leave(),
    }, this.picture, this.labels, this.tip, this.text);
    this.label = label;
  }

  #x = (/** @type {number} */ t) => LEFT + ((t - this.#from) / (this.#to - this.#from)) * (this.#width - 2 * LEFT);
  #y = (/** @type {number} */ v) =>
    TOP + ((this.#high - v) / (this.#high - this.#low)) * (HEIGHT - TOP - BOTTOM);

  /**
   * Shows the time since the first point, but at least a minute and at most ten.
   * @param {Point[]} points in the order of time
   * @param {number} [floor] what the axis begins with at most
   */
  draw(points, floor) {
    const to = Date.now();
    const from = to - Math.min(MOST_MILLIS, Math.max(LEAST_MILLIS, to - (points[0]?.t ?? to)));
    const before = points.findLastIndex(({ t }) => t <= from);
    this.#points = points.slice(Math.max(0, before)).map(({ t, v }) => ({ t: Math.max(t, from), v }));
    const last = this.#points.at(-1);
    const values = this.#points.map(({ v }) => v).concat(floor ?? []);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = high === low ? Math.max(1, Math.abs(high) * 0.01) : (high - low) * 0.08;
    this.#low = floor === undefined || low < floor ? low - room : floor;
    this.#high = high + room;
    this.#from = from;
    this.#to = to;
    this.#width = this.picture.clientWidth || this.#width;
    this.picture.setAttribute('viewBox', `0 0 ${this.#width} ${HEIGHT}`);
    if (last === undefined) {
      return;
    }
    const path = steps([...this.#points, { t: to, v: last.v }], this.#x, this.#y);
    this.line.setAttribute('d', path);
    this.area.setAttribute('d', `${path}V${HEIGHT - BOTTOM}H${this.#x(this.#points[0].t).toFixed(1)}Z`);
    this.#axes();
    say(this.text, `${this.label}: ${this.#format(this.#points[0].v)} at first, ${this.#format(last.v)} now, between `
      + `${this.#format(low)} and ${this.#format(high)} in the last ${duration((to - from) / 1000)}`);
  }

  #axes() {
    const rows = ticks(this.#low, this.#high, 4).map((v) => ({ v, y: this.#y(v) }));
    this.grid.replaceChildren(...rows.map(({ y }) =>
      svg('line', { x1: 0, x2: this.#width, y1: y.toFixed(1), y2: y.toFixed(1) })));
    const texts = rows.filter(({ y }) => y > TOP + 4).map(({ v, y }) => {
      const text = h('span', { class: 'y' }, this.#format(v));
      text.style.top = `${(y / HEIGHT) * 100}%`;
      return text;
    });
    const unit = this.#to - this.#from > 150_000 ? { millis: 60_000, text: 'min' } : { millis: 1000, text: 's' };
    const span = (this.#to - this.#from) / unit.millis;
    for (const ago of ticks(0, span * 0.95, 5)) {
      const text = h('span', { class: ago === 0 ? 'x now' : 'x' }, ago === 0 ? 'now' : `−${ago} ${unit.text}`);
      text.style.left = `${(this.#x(this.#to - ago * unit.millis) / this.#width) * 100}%`;
      texts.push(text);
    }
    this.labels.replaceChildren(...texts);
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const box = this.picture.getBoundingClientRect();
    const t = this.#from + ((((event.clientX - box.left) / box.width) * this.#width - LEFT) / (this.#width - 2 * LEFT))
      * (this.#to - this.#from);
    const at = this.#points.findLast((point) => point.t <= t);
    if (at === undefined || t > this.#to) {
      this.#leave();
      return;
    }
    const [line, dot] = this.cross.children;
    line.setAttribute('x1', this.#x(t));
    line.setAttribute('x2', this.#x(t));
    dot.setAttribute('cx', this.#x(t));
    dot.setAttribute('cy', this.#y(at.v));
    this.cross.setAttribute('visibility', 'visible');
    this.tip.hidden = false;
    say(this.tip, `${this.#format(at.v)} at ${new Date(t).toLocaleTimeString('en-GB')}`);
    this.tip.style.left = `${Math.min(85, Math.max(15, (this.#x(t) / this.#width) * 100))}%`;
  }

  #leave() {
    this.cross.setAttribute('visibility', 'hidden');
    this.tip.hidden = true;
  }
}

/** A small line of the latest values. `update` takes them. @param {string} label @returns {any} */
export function sparkline(label) {
  const line = svg('path', { class: 'line' });
  const area = svg('path', { class: 'area' });
  const element = svg('svg', { class: 'spark', viewBox: '0 0 120 24', preserveAspectRatio: 'none', role: 'img' }, area, line);
  element.update = (/** @type {number[]} */ values) => {
    const high = Math.max(1, ...values);
    const step = 120 / (Math.max(15, values.length) - 1);
    const path = values.map((v, i) =>
      `${i === 0 ? 'M' : 'L'}${(120 - (values.length - 1 - i) * step).toFixed(1)} ${(22 - (v / high) * 20).toFixed(1)}`)
      .join('');
    line.setAttribute('d', path);
    area.setAttribute('d', values.length > 1 ? `${path}V24H${(120 - (values.length - 1) * step).toFixed(1)}Z` : '');
    element.setAttribute('aria-label', `${label}: ${Math.round(values.at(-1) ?? 0)} now, ${Math.round(high)} at most`);
  };
  return element;
}
