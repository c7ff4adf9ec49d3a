import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../model/fault/fault.ts';
import { reasonOf } from '../../model/json/printable.ts';

/** One file of policies. `file` is its name in fault messages. */
export interface PolicySource {
  readonly file: string;
  readonly text: string;
}

/** The same path from `src` and from the build, because both are three folders below the package. */
const SHIPPED = fileURLToPath(new URL('../../../policies/', import.meta.url));

/** The policies that ship with this package: the five risk profiles and the general rules. */
export function shippedPolicies(): readonly PolicySource[] {
  return policyFiles(SHIPPED);
}

/** Reads all `*.cedar` files of a folder, sorted by name. */
export function policyFiles(folder: string): readonly PolicySource[] {
  const names = reading(folder, () => readdirSync(folder)).filter((name) => name.endsWith('.cedar'));
  if (names.length === 0) throw new Fault('policy_invalid', `${folder} holds no .cedar file`);
  return names.toSorted().map((name) => policyFile(join(folder, name)));
}

export function policyFile(path: string): PolicySource {
  return { file: basename(path), text: reading(path, () => readFileSync(path, 'utf8')) };
}

/** The schema that every policy is validated against. */
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
