/**
 * Files from a picker or a drop, each with the path it shall have in the inbox.
 * @typedef {{file: File, path: string}} Added
 */

/** Left behind by office programs and file managers; nobody means to add these. */
const CLUTTER = /^(~\$.*|\..*|Thumbs\.db|desktop\.ini)$/i;

/** @param {Iterable<File>} files @returns {Added[]} */
export function picked(files) {
  return [...files]
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ path }) => wanted(path));
}

/** @param {DataTransfer} transfer @returns {Promise<Added[]>} */
export async function dropped(transfer) {
  // Entries must be taken before the first await: the transfer is emptied after the event.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return picked(transfer.files);
  const found = await Promise.all(entries.map((entry) => filesIn(/** @type {any} */ (entry))));
  return found.flat().filter(({ path }) => wanted(path));
}

/** @param {string} path */
function wanted(path) {
  return !path.split('/').some((part) => CLUTTER.test(part));
}

/** @param {FileSystemEntry} entry @returns {Promise<Added[]>} */
async function filesIn(entry) {
  const path = entry.fullPath.replace(/^\//, '');
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => {
      /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject);
    });
    return [{ file, path }];
  }
  const found = [];
  for (const child of await childrenOf(/** @type {FileSystemDirectoryEntry} */ (entry))) {
    found.push(...await filesIn(child));
  }
  return found;
}

/** @param {FileSystemDirectoryEntry} folder @returns {Promise<FileSystemEntry[]>} */
async function childrenOf(folder) {
  const reader = folder.createReader();
  const children = [];
  // Browsers hand out a hundred entries at a time; an empty batch is the end.
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const batch = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (!batch.length) return children;
    children.push(...batch);
  }
}
