import type { DatabaseSync } from 'node:sqlite';
import type { Json } from '../../../model/json/json.ts';
import { redactor } from '../../../model/text/redact/redact.ts';
import { compactView, foldedView } from '../../../model/text/redact/text-view.ts';
import { type Erasure, plainTexts } from '../../../ports/store/vault.ts';
import { decrypt } from './aes-box.ts';
import type { VaultKeys } from './vault-keys.ts';

/** Recorded instead of a reason that cannot be compared with what is erased. */
const WITHHELD = 'withheld: the sealed values could not be opened';

/** The reason of an erasure without the values that it erases: it stays on record. A lost key prevents no erasure. */
export async function reasonWithoutValues(db: DatabaseSync, keys: VaultKeys, erasure: Erasure): Promise<string> {
  const { tenant_id, reason } = erasure;
  const own = await keys.find(tenant_id).catch(() => undefined);
  if (own === undefined) return WITHHELD;
  if (own === null) return reason;
  const words = lettersOf(reason);
  const repeated = new Set<string>();
  for (const { handle, box } of db.prepare('select handle, box from sealed where tenant_id = ?').iterate(tenant_id)) {
    const text = openedText(own.sealing, box as Uint8Array, `${tenant_id}\n${String(handle)}`);
    if (text === null) return WITHHELD;
    for (const value of plainTexts(JSON.parse(text) as Json)) if (words.includes(lettersOf(value))) repeated.add(value);
  }
  return redactor(repeated).text(reason);
}

/** The value of a box, or null if the box was damaged. */
function openedText(key: Uint8Array, box: Uint8Array, about: string): string | null {
  try {
    return decrypt(key, Buffer.from(box), about, 'a sealed value').toString('utf8');
  } catch {
    return null;
  }
}

const lettersOf = (text: string): string => compactView(foldedView(text)).text;
