/** The page: which view is shown, the state of the node at the top, and the password. */

import { Api, sentence } from './api.js';
import { field, h, say } from './dom.js';
import { Live } from './live.js';
import { Pulse } from './pulse.js';
import { ClusterView } from './cluster.js';
import { CountersView } from './counters.js';
import { ServerView } from './server.js';

/**
 * What views are made with.
 * @typedef {object} App
 * @property {Api} api
 * @property {Pulse} pulse
 * @property {Live} live
 * @property {(title: string) => void} title
 */

const NODE_STATES = /** @type {Record<string, string>} */ ({
  loading: 'reads its disk', seeking: 'looks for other nodes', pulling: 'fetches counters from other nodes',
  catching_up: 'catches up with other nodes', ready: 'ready', held: 'held',
});
const BY_NAME = /** @type {Record<string, new (app: App) => any>} */ ({
  counters: CountersView, cluster: ClusterView, server: ServerView,
});

const main = /** @type {HTMLElement} */ (document.getElementById('main'));
const node = /** @type {HTMLElement} */ (document.getElementById('node'));
const banner = /** @type {HTMLElement} */ (document.getElementById('banner'));

const api = new Api(askPassword);
const pulse = new Pulse(api);
const app = { api, pulse, live: new Live(api), title };
/** @type {Map<string, any>} */
const views = new Map();
let shown = '';

/** @param {string} text */
function title(text) {
  const name = pulse.state?.info.get('node_name');
  document.title = name === undefined ? `${text} · Tallis` : `${text} · ${name} · Tallis`;
}

/** Asks until a password is right. @param {boolean} refused @returns {Promise<string>} */
function askPassword(refused) {
  return new Promise((resolve) => {
    const input = field('Password', { type: 'password', name: 'password', autocomplete: 'current-password', required: true });
    const dialog = h('dialog', { 'aria-labelledby': 'login', onclose: () => dialog.isConnected && dialog.showModal() },
      h('form', {
        method: 'dialog',
        onsubmit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          dialog.remove();
          resolve(String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get('password')));
        },
      },
      h('h2', { id: 'login' }, 'This node has a password'),
      h('p', {}, 'It is the one that programs use to connect. The page forgets it when it is closed or loaded again.'),
      // Password managers keep a password for a name; to Redis the user without a name is this one.
      h('input', { type: 'text', name: 'username', value: 'default', autocomplete: 'username', hidden: true }),
      input,
      refused && h('p', { class: 'error', role: 'alert' }, 'That was not the password.'),
      h('p', { class: 'buttons' }, h('button', { class: 'primary' }, 'Open'))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Shows the view that the address names: `#/counters/pncount/visits`. */
function route() {
  const [name, ...path] = location.hash.replace(/^#\//, '').split('/').map(decoded);
  const wanted = name in BY_NAME ? name : 'counters';
  if (!views.has(wanted)) {
    views.set(wanted, new BY_NAME[wanted](app));
  }
  const view = views.get(wanted);
  if (shown !== wanted) {
    views.get(shown)?.close();
    shown = wanted;
    main.replaceChildren(view.element);
    main.classList.toggle('whole', wanted === 'counters');
    for (const link of document.querySelectorAll('nav a')) {
      if (/** @type {HTMLElement} */ (link).dataset.view === wanted) {
        link.setAttribute('aria-current', 'page');
      } else {
        link.removeAttribute('aria-current');
      }
    }
    view.shown();
  }
  view.open(path);
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

pulse.addEventListener('change', () => {
  const fields = pulse.state?.info;
  const state = fields?.get('node_state') ?? '';
  const held = fields?.get('node_held') === '1';
  const lost = pulse.error !== '';
  const health = pulse.state?.health ?? { state: '' };
  const well = health.state === 'ready';
  node.className = `node ${lost || health.state === 'read-only' ? 'bad' : well ? 'good' : 'busy'}`;
  say(node, fields === undefined ? ''
    : `${fields.get('node_name') ?? ''}${lost ? ' · no answer' : held ? ' · held' : well ? '' : ` · ${health.state}`}`);
  main.classList.toggle('stale', lost);
  const text = lost ? `${pulse.error} What is shown here may be old; the page goes on trying.`
    : held ? 'This node is held: it serves no data until somebody makes it ready.'
    : state === 'ready' ? well ? '' : sentence(health.error ?? `This node is ${health.state}`)
    : `This node ${NODE_STATES[state] ?? `is ${state}`}, and serves no data until it has all.`;
  say(banner, text);
  banner.hidden = text === '';
  if (shown === 'counters' && fields !== undefined && !document.title.includes(` · ${fields.get('node_name')} · `)) {
    route();
  }
});
addEventListener('hashchange', route);
route();
pulse.now();
