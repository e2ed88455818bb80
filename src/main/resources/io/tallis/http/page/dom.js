/** Elements and dialogs. Text never becomes HTML. */

/**
 * Makes an element.
 * @param {string} tag
 * @param {Record<string, any>} [props] attributes; functions are listeners: `{onclick: f}`
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** The same of SVG. @param {string} tag @param {Record<string, any>} [props] @param {...Node} children @returns {any} */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), props, children);
}

/** @param {Element} element @param {Record<string, any>} props @param {any[]} children */
function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Sets a text if it is another one, so that selections of the text stay. @param {Element} element @param {string} text */
export function say(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Shows the children, if they are others than those that are shown. @param {Element} element @param {Node[]} children */
export function show(element, children) {
  const shown = element.childNodes;
  if (shown.length !== children.length || children.some((child, i) => child !== shown[i])) {
    element.replaceChildren(...children);
  }
}

/**
 * Keeps an element for each item and reuses it, so that focus and selection survive.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => string} key
 * @param {(item: T) => any} make returns an element whose property `update` takes the item
 */
export function each(parent, items, key, make) {
  const old = new Map([...parent.children].map((child) => [/** @type {any} */ (child).eachKey, child]));
  show(
    parent,
    items.map((item) => {
      const element = old.get(key(item)) ?? Object.assign(make(item), { eachKey: key(item) });
      element.update(item);
      return element;
    }),
  );
}

/**
 * A table with named columns.
 * @param {string} label
 * @param {[title: string, kind: '' | 'number'][]} columns
 * @returns {{element: HTMLElement, body: HTMLElement}}
 */
export function table(label, columns) {
  const body = h('tbody');
  const head = h('tr', {}, ...columns.map(([title, kind]) => h('th', { scope: 'col', class: kind }, title)));
  const element = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    h('table', {}, h('caption', { class: 'unseen' }, label), h('thead', {}, head), body));
  return { element, body };
}

/**
 * A row of such a table.
 * @template T
 * @param {[title: string, kind: '' | 'number'][]} columns
 * @param {(item: T) => (string | Node)[]} cells
 * @returns {any}
 */
export function row(columns, cells) {
  const tds = columns.map(([title, kind]) => h('td', { class: kind, 'data-title': title }));
  const element = h('tr', {}, ...tds);
  element.update = (/** @type {T} */ item) => cells(item).forEach((cell, i) => {
    if (typeof cell === 'string') {
      say(tds[i], cell);
    } else {
      show(tds[i], [cell]);
    }
  });
  return element;
}

/**
 * Asks something. The button that acts has the words of the action and stays disabled while it runs; an error is shown
 * and the dialog stays open.
 * @param {{title: string, text: (string | Node)[], action: string, danger?: boolean, fields?: HTMLElement[],
 *     run: (form: FormData) => Promise<void>}} question
 */
export function ask({ title, text, action, danger, fields = [], run }) {
  const error = h('p', { class: 'error', role: 'alert' });
  const button = h('button', { class: danger ? 'danger' : 'primary' }, action);
  const form = h('form', {
    method: 'dialog',
    onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      button.disabled = true;
      try {
        await run(new FormData(form));
        dialog.close();
      } catch (e) {
        say(error, /** @type {Error} */ (e).message);
      }
      button.disabled = false;
    },
  },
  h('h2', { id: 'question' }, title),
  ...text.map((part) => h('p', {}, part)),
  ...fields,
  error,
  h('p', { class: 'buttons' },
    h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
    button));
  const dialog = h('dialog', { 'aria-labelledby': 'question', onclose: () => dialog.remove() }, form);
  document.body.append(dialog);
  dialog.showModal();
  if (danger) {
    form.querySelector('button[type=button]').focus();
  }
}

/** A field of a form with its label. @param {string} label @param {Record<string, any>} props @param {string} [hint] */
export function field(label, props, hint) {
  return h('label', { class: 'field' }, h('span', {}, label), h('input', { autocomplete: 'off', ...props }),
    hint && h('small', {}, hint));
}
