/** Sends one file, telling how far it has come: `fetch` cannot. */

import { Problem } from './http.js';
import { language } from './i18n.js';
import { askForKey } from './key.js';

/** @typedef {{document_id: string, known?: boolean, locations?: string[]}} Stored */

/**
 * @param {File} file
 * @param {string} path below the watched folder
 * @param {{signal: AbortSignal, progress: (bytes: number) => void}} options
 * @returns {Promise<Stored>}
 * @throws {Problem} `stopped` when aborted, `unread` when the browser cannot read the file
 */
export async function sendFile(file, path, options) {
  for (;;) {
    const { status, body } = await post(file, path, options);
    if (status >= 200 && status < 300) return body;
    if (status !== 401 || !(await askForKey())) throw new Problem({ ...body, status });
  }
}

/**
 * @param {File} file @param {string} path @param {{signal: AbortSignal, progress: (bytes: number) => void}} options
 * @returns {Promise<{status: number, body: any}>}
 */
function post(file, path, { signal, progress }) {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    form.append('file', file, file.name);
    form.append('path', path);
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open('POST', '/api/documents');
    request.responseType = 'json';
    request.setRequestHeader('Accept-Language', language());
    request.upload.addEventListener('progress', (event) => progress(Math.min(event.loaded, file.size)));
    request.addEventListener('load', () => resolve({ status: request.status, body: request.response ?? {} }));
    request.addEventListener('abort', () => reject(new Problem({ code: 'stopped' })));
    request.addEventListener('error', () => blame().then(reject));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', stop));
    signal.addEventListener('abort', stop);
    request.send(form);
  });
}

/** A file that was moved meanwhile breaks off just as a server that is gone does. */
async function blame() {
  const alive = await fetch('/health').then((response) => response.ok, () => false);
  return new Problem({ code: alive ? 'unread' : 'unreachable' });
}
