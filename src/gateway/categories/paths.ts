/** Control characters, marks that turn text around, joiners without a width, private and unassigned ones. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Percent-encoded dots, slashes and nulls: some tool on the way may decode them. */
const ENCODED = /%(2e|2f|5c|00|25)/i;

/**
 * Why a path is not one that stays where it is put, or null. Everything that two programs may read in two ways is
 * refused instead of being interpreted.
 */
export function whyUnsafe(path: string): string | null {
  if (path === '') return 'it is empty';
  if (HIDDEN.test(path)) return 'it holds characters that cannot be seen';
  if (path.normalize('NFKC') !== path) return 'it holds characters that look like others';
  if (path.startsWith('/') || path.startsWith('~')) return 'it is not relative to the workspace';
  if (/[\\:]/.test(path)) return 'it holds a backslash or a colon';
  if (ENCODED.test(path)) return 'it holds encoded characters';
  const segments = path.split('/');
  if (segments.some((segment) => /^\.\.[. ]*$|^[. ]+\.$/.test(segment))) return 'it leads out of the workspace';
  if (segments.some((segment) => segment === '' || /^ | $/.test(segment))) return 'it has an empty part';
  return null;
}

/** Whether a real path is a folder, or lies in it. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/** A path without the parts that lead nowhere: `./a/.` is `a`, and `./.` is the root itself, which is `.` */
const plain = (path: string): string =>
  path
    .split('/')
    .filter((segment) => segment !== '.')
    .join('/') || '.';

/** A relative path below a root, as it would be opened. */
export function below(root: string, path: string): string {
  const way = plain(path);
  return way === '.' ? root : `${root.replace(/\/+$/, '')}/${way}`;
}

/** A pattern reaches more than anybody can read from it. */
export const isPattern = (path: string): boolean => /[*?[\]{}]/.test(path);
