/** Calls to our own API: problems become one kind of error, a missing key is asked for once. */

import { askForKey } from './key.js';
import { language } from './i18n.js';

/** What went wrong, as the server says it (problem+json), or `unreachable` when it said nothing. */
export class Problem extends Error {
  /** @param {{code?: string, status?: number, title?: string, detail?: string, hint?: string}} body */
  constructor({ code = 'internal', status = 0, title = '', detail = '', hint = '' }) {
    super(detail || title || code);
    this.code = code;
    this.status = status;
    this.detail = detail || title;
    this.hint = hint;
  }
}

/**
 * @param {string} path
 * @param {RequestInit & {json?: any, quiet?: boolean, accept?: number[]}} [options] `json` becomes
 *   the body; `quiet` calls made in the background never open the key form; statuses to `accept`
 *   are answers too
 * @returns {Promise<Response>} a successful response
 * @throws {Problem|DOMException} the latter only when aborted
 */
export async function call(path, options = {}) {
  const { json, quiet = false, accept = [], ...init } = options;
  const headers = new Headers(init.headers);
  headers.set('Accept-Language', language());
  if (json !== undefined) {
    init.body = JSON.stringify(json);
    headers.set('Content-Type', 'application/json');
  }
  for (;;) {
    const response = await send(path, { ...init, headers });
    if (response.ok || accept.includes(response.status)) return response;
    const problem = await problemOf(response);
    if (response.status !== 401 || quiet || !(await askForKey())) throw problem;
  }
}

/** @param {string} path @param {Parameters<typeof call>[1]} [options] @returns {Promise<any>} */
export async function callJson(path, options) {
  return (await call(path, options)).json();
}

/** @param {string} path @param {RequestInit} init */
async function send(path, init) {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Problem({ code: 'unreachable' });
  }
}

/** @param {Response} response */
async function problemOf(response) {
  const body = await response.json().catch(() => ({}));
  return new Problem({ ...body, status: response.status });
}
