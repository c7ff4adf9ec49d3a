import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../model/fault.ts';
import { reasonOf } from '../../model/printable.ts';

/** One file of policies; `file` is only what faults call it. */
export interface PolicySource {
  readonly file: string;
  readonly text: string;
}

/** The same place from the source and from what is built of it: both lie three folders below the package. */
const SHIPPED = fileURLToPath(new URL('../../../policies/', import.meta.url));

/** The five risk profiles and what holds beside them, as they ship with this package. */
export function shippedPolicies(): readonly PolicySource[] {
  return policyFiles(SHIPPED);
}

/** Every `*.cedar` file of a folder, by name. */
export function policyFiles(folder: string): readonly PolicySource[] {
  const names = reading(folder, () => readdirSync(folder)).filter((name) => name.endsWith('.cedar'));
  if (names.length === 0) throw new Fault('policy_invalid', `${folder} holds no .cedar file`);
  return names.toSorted().map((name) => policyFile(join(folder, name)));
}

export function policyFile(path: string): PolicySource {
  return { file: basename(path), text: reading(path, () => readFileSync(path, 'utf8')) };
}

/** What every policy is held against. */
export function shippedSchema(): string {
  return policyFile(join(SHIPPED, 'schema.cedarschema')).text;
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Fault('policy_invalid', `${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
