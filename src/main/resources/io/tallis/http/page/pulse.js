/** How the node and its cluster stand: asked for every two seconds, for all views. */

import { Failure } from './api.js';
import { attributes, info, record } from './parse.js';

const MILLIS = 2000;
/** A node that is frozen or cut off takes a request and never answers. */
const LIMIT_MILLIS = 5000;
const KEPT = 60;
const SECTIONS = ['server', 'clients', 'memory', 'persistence', 'stats', 'replication', 'tallis'];

/**
 * @typedef {object} Node
 * @property {string} name
 * @property {string} uuid
 * @property {string} address for clients
 * @property {string | null} page where its page is
 * @property {string} state of this node that of its health, once it has joined
 * @property {boolean} self
 * @property {number} starts
 * @property {Record<string, string> | null} peer what this node knows of it as a peer, if it is reachable
 * @property {number[]} rates operations a second
 */

/**
 * @typedef {object} State
 * @property {Map<string, string>} info
 * @property {{state: string, error?: string}} health
 * @property {Node[]} nodes by name
 * @property {number} time in ms
 */

export class Pulse extends EventTarget {
  #api;
  /** @type {Map<string, number[]>} */
  #rates = new Map();
  /** @type {number | undefined} */
  #timer;
  /** @type {State | null} */
  state = null;
  /** Why there is no newer state. @type {string} */
  error = '';
  /** Operations a second. @type {{t: number, v: number}[]} */
  operations = [];

  /** @param {import('./api.js').Api} api */
  constructor(api) {
    super();
    this.#api = api;
    document.addEventListener('visibilitychange', () => this.now());
  }

  /** Asks at once, and then again and again while the page is visible. */
  async now() {
    clearTimeout(this.#timer);
    if (document.hidden) {
      return;
    }
    try {
      const [[fields, nodes], pages, health] = await Promise.all([
        this.#api.commands([['INFO', ...SECTIONS], ['SYSTEM', 'NODES']], undefined, LIMIT_MILLIS),
        this.#pages(), this.#api.health(LIMIT_MILLIS)]);
      for (const answer of [fields, nodes]) {
        if (answer instanceof Failure) {
          throw answer;
        }
      }
      this.#take(info(fields), nodes.map(record), pages, health);
      this.error = '';
    } catch (e) {
      this.error = /** @type {Error} */ (e).message;
    }
    this.dispatchEvent(new Event('change'));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.now(), MILLIS);
  }

  /** The addresses of the pages of all nodes, by UUID. @returns {Promise<Map<string, string>>} */
  async #pages() {
    const { nodes } = await this.#api.json('/cluster', { limit: LIMIT_MILLIS });
    return new Map(nodes.filter((/** @type {any} */ { http }) => http)
      .map((/** @type {any} */ { uuid, http }) => [uuid, `${http}/`]));
  }

  /**
   * @param {Map<string, string>} fields
   * @param {Record<string, any>[]} nodes
   * @param {Map<string, string>} pages
   * @param {State['health']} health
   */
  #take(fields, nodes, pages, health) {
    const peers = new Map();
    for (const [name, value] of fields) {
      if (/^peer\d+$/.test(name)) {
        const peer = attributes(value);
        peers.set(peer.session, peer);
      }
    }
    const now = Date.now();
    const operations = Number(fields.get('instantaneous_ops_per_sec'));
    this.operations = [...this.operations, { t: now, v: operations }].slice(-300);
    const all = nodes.map((node) => {
      const self = node.uuid === fields.get('node_uuid');
      const peer = peers.get(node.session) ?? null;
      const rate = self ? operations : Number(peer?.ops_per_sec ?? 0);
      return {
        name: node.name, uuid: node.uuid, address: node.address, starts: node.starts,
        state: self && node.state === 'ready' ? health.state : node.state, page: pages.get(node.uuid) ?? null, self, peer, rates: this.#keep(node.uuid, rate),
      };
    });
    this.state = { info: fields, health, nodes: all.sort((a, b) => (a.name < b.name ? -1 : 1)), time: now };
  }

  /** @param {string} node @param {number} rate */
  #keep(node, rate) {
    const rates = [...(this.#rates.get(node) ?? []), rate].slice(-KEPT);
    this.#rates.set(node, rates);
    return rates;
  }

  /** A field of `INFO`, as a number. @param {string} field */
  number(field) {
    return Number(this.state?.info.get(field) ?? 0);
  }

  /** The place of a node among all, by which it has its colour; -1 for an unknown one. @param {string} name */
  place(name) {
    return this.state?.nodes.findIndex((node) => node.name === name) ?? -1;
  }
}
