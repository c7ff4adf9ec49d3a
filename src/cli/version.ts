import { readFileSync } from 'node:fs';

/** The same place from the source and from what is built of it: both lie two folders below the package. */
const MANIFEST = new URL('../../package.json', import.meta.url);

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string };
  return version;
}
