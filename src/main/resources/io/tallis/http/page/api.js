/** Requests to the node that this page came from. */

import { EventReader } from './parse.js';

/** An answer of the server that is an error, or no answer. */
export class Failure extends Error {
  /** @param {string} message @param {number} status 0 without an answer */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** A header takes bytes: each character is one byte of the text in UTF-8. @param {string} text */
function octets(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

export class Api {
  /** The password, in the memory of this page only: a reload forgets it. */
  #password = '';
  /** @type {Promise<void> | null} */
  #login = null;
  #askPassword;

  /** @param {(tried: boolean) => Promise<string>} askPassword gets whether a password was refused */
  constructor(askPassword) {
    this.#askPassword = askPassword;
  }

  /**
   * @param {string} path
   * @param {RequestInit & {limit?: number}} [options] limit: the ms until a node that says nothing counts as gone
   * @returns {Promise<Response>}
   */
  async #fetch(path, { limit, ...options } = {}) {
    for (;;) {
      const password = this.#password;
      const headers = new Headers(options.headers);
      headers.set('Content-Type', 'application/json');
      if (password !== '') {
        headers.set('Authorization', `Bearer ${octets(password)}`);
      }
      let response;
      try {
        // A limit for each attempt, since a person may take long to enter the password.
        const signal = limit === undefined ? options.signal : AbortSignal.timeout(limit);
        response = await fetch(path, { ...options, signal, headers, cache: 'no-store', credentials: 'omit' });
      } catch (e) {
        if (options.signal?.aborted) {
          throw e;
        }
        throw new Failure('The node does not answer.', 0);
      }
      if (response.status !== 401) {
        return response;
      }
      if (password === this.#password) {
        await this.#logIn();
      }
    }
  }

  /** Asks once, however many requests wait for it. */
  #logIn() {
    this.#login ??= this.#askPassword(this.#password !== '').then((password) => {
      this.#password = password;
      this.#login = null;
    });
    return this.#login;
  }

  /**
   * @param {string} path
   * @param {RequestInit & {limit?: number}} [options]
   * @returns {Promise<any>}
   */
  async json(path, options) {
    const response = await this.#fetch(path, options);
    const body = await response.json().catch(() => null);
    if (!response.ok) {
      throw new Failure(sentence(body?.error ?? `The node answered ${response.status}.`), response.status);
    }
    if (body === null) {
      throw new Failure('The node does not answer.', 0);
    }
    return body;
  }

  /**
   * Whether the node is well; if not, the status is 503, which is no failure here.
   * @param {number} limit
   * @returns {Promise<{state: string, error?: string}>}
   */
  async health(limit) {
    return (await this.#fetch('/health', { limit })).json();
  }

  /**
   * Runs commands of Redis. Each has its result, or a `Failure` in its place.
   * @param {(string | number)[][]} commands
   * @param {AbortSignal} [signal]
   * @param {number} [limit]
   * @returns {Promise<any[]>}
   */
  async commands(commands, signal, limit) {
    const answers = await this.json('/pipeline', { method: 'POST', body: JSON.stringify(commands), signal, limit });
    return answers.map((/** @type {any} */ answer) =>
      answer.error === undefined ? answer.result : new Failure(sentence(answer.error), 400));
  }

  /** Runs one command; an error is thrown. @param {...(string | number)} words */
  async command(...words) {
    const [answer] = await this.commands([words]);
    if (answer instanceof Failure) {
      throw answer;
    }
    return answer;
  }

  /**
   * Changes a counter.
   * @param {string} type
   * @param {string} name
   * @param {bigint} change
   */
  async increment(type, name, change) {
    try {
      await this.json(`/counters/increment?type=${type}`, {
        method: 'POST',
        body: JSON.stringify([{ name, change: String(change) }]),
      });
    } catch (e) {
      if (e instanceof Failure && e.status === 0) {
        throw new Failure('The node did not answer. It may have counted this or not: '
          + 'look at the value before you try again.', 0);
      }
      throw e;
    }
  }

  /** @param {string} type @param {string} name */
  remove(type, name) {
    return this.json(`/counters?type=${type}&id=${encodeURIComponent(name)}`, { method: 'DELETE' });
  }

  /**
   * Server-sent events. `EventSource` cannot send a password, so this reads them itself.
   * @param {string} path
   * @param {AbortSignal} signal
   * @param {() => void} onBytes called whenever something arrives
   * @returns {AsyncGenerator<{event: string, data: string}>}
   */
  async *events(path, signal, onBytes) {
    const response = await this.#fetch(path, { signal, headers: { Accept: 'text/event-stream' } });
    if (!response.ok || response.body === null) {
      throw new Failure(`The node answered ${response.status}.`, response.status);
    }
    const chunks = response.body.getReader();
    const text = new TextDecoder();
    const reader = new EventReader();
    for (;;) {
      const { done, value } = await chunks.read();
      if (done) {
        return;
      }
      onBytes();
      yield* reader.read(text.decode(value, { stream: true }));
    }
  }
}

/** An error of Redis begins with a code, which says nothing to people. @param {string} error */
export function sentence(error) {
  const text = error.replace(/^[A-Z]+ /, '');
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
