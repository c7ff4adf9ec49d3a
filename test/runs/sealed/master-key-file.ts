import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new file with a master key, in a folder of its own. */
export function masterKeyFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'ambit-master-')), 'vault.key');
  writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  return file;
}
