import { Fault } from '../../model/fault/fault.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import { isJsonList, isJsonObject, type Json } from '../../model/json/json.ts';
import { jsonAt } from '../../model/json/json-at.ts';
import { isSealedHandle, placesIn, withPlaces } from '../../model/json/sealed.ts';
import { redactor } from '../../model/text/redact/redact.ts';

/**
 * Stores secret and personal values, encrypted with a key per tenant. The journal holds only handles: destroying a key
 * erases the values sealed with it and changes no replay.
 */
export interface Vault {
  /** Stores a value (the text of its JSON) and returns its handle. Durable when the promise resolves. */
  seal(tenantId: string, text: string): Promise<string>;
  /** `sealed_unknown`: this tenant has no such handle. `sealed_erased`: its key has been destroyed. */
  open(tenantId: string, handle: string): Promise<string>;
  /** Opens a value for a person who decides about it. The access is recorded durably before the value is returned. */
  reveal(look: VaultAccess): Promise<string>;
  accesses(tenantId: string): Promise<readonly VaultAccess[]>;
  /**
   * Destroys the key of a tenant and all values sealed with it; records who requested it and why. Throws
   * `sealed_unknown` if there is nothing to erase, `sealed_erased` if it was erased before.
   */
  erase(erasure: Erasure): Promise<void>;
  erasures(tenantId: string): Promise<readonly Erasure[]>;
  /** Returns every tenant that has or had sealed values, by name. */
  tenants(): Promise<readonly SealedTenant[]>;
  close(): Promise<void>;
}

/** A record that a person opened a sealed value: who, at which gate, and when. */
export interface VaultAccess {
  readonly tenant_id: string;
  readonly handle: string;
  readonly gate_id: string;
  readonly by: string;
  readonly at: number;
}

export interface Erasure {
  readonly tenant_id: string;
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

export interface SealedTenant {
  readonly tenant_id: string;
  /** False if nothing was sealed or the key was erased; then no value can be opened. */
  readonly has_key: boolean;
  readonly values: number;
  /** The time of the last erasure; null if there was none. */
  readonly erased_at: number | null;
}

/** A key outside the vault that wraps the keys in it, such as a key of a key service (KMS). */
export interface MasterKey {
  /** Identifies the key. The vault stores it beside each key that it wraps. */
  readonly id: string;
  /** Encrypts a key. `context` must be authenticated with it, and is the same when the key is unwrapped. */
  wrap(dataKey: Uint8Array, context: string): Promise<Uint8Array>;
  /** Rejects if the wrapped key or its context was altered. */
  unwrap(wrapped: Uint8Array, context: string): Promise<Uint8Array>;
}

/** The protection of the keys in a vault file. */
export interface VaultProtection {
  /**
   * 32 bytes in base64 from an environment variable or from a file, or the key of a key service. The default is
   * `{ env: 'AMBIT_VAULT_KEY' }`.
   */
  readonly masterKey?: { readonly env: string } | { readonly file: string } | MasterKey;
  /** Wraps the keys of a file that was written without a master key. */
  readonly wrapUnprotected?: true;
  /** Accepts a file that holds its own keys: a thief of the file can open every value in it. */
  readonly unprotected?: true;
}

/** The vaults that come with the package. */
export interface Vaults {
  inMemory(): Vault;
  /**
   * A separate file next to the journal. Journal backups do not include it. Throws without a master key, unless the
   * host sets `unprotected: true`.
   */
  inFile(path: string, protection?: VaultProtection): Vault;
}

/** Plain texts of sealed values, each with the handle that replaces it. */
export type KnownValues = ReadonlyMap<string, string>;

const NO_VALUES: KnownValues = new Map();

/** A document with handles, and the plain texts that they stand for. */
interface Sealed<T> {
  readonly document: T;
  readonly known: KnownValues;
}

/**
 * Replaces every value that the patterns match with a handle, and every repetition of it elsewhere in the document, in
 * any form that software writes. Leaves sealed values as they are. `known` are values that were sealed before.
 */
export async function sealValues<T extends Json>(
  vault: Pick<Vault, 'seal'>,
  tenantId: string,
  document: T,
  patterns: readonly string[],
  known: KnownValues = NO_VALUES,
): Promise<Sealed<T>> {
  const sealed = new Map<string, Json>();
  const all = new Map(known);
  for (const place of placesIn(document, patterns)) {
    const value = jsonAt(document, place) ?? null;
    if (isSealedHandle(value)) continue;
    const handle = await vault.seal(tenantId, canonicalize(value));
    sealed.set(place, handle);
    for (const text of plainTexts(value)) all.set(text, handle);
  }
  const replaced = sealed.size === 0 ? document : (withPlaces(document, sealed) as T);
  return { document: redactor(all).json(replaced), known: all };
}

/** The plain texts behind handles, as far as the vault still opens them. */
export async function openValues(
  vault: Pick<Vault, 'open'>,
  tenantId: string,
  handles: readonly string[],
): Promise<KnownValues> {
  const known = new Map<string, string>();
  for (const handle of handles) {
    const text = await vault.open(tenantId, handle).catch(ignoreMissing);
    if (text !== null) for (const value of plainTexts(JSON.parse(text) as Json)) known.set(value, handle);
  }
  return known;
}

/** An erased value is not known any more, and a handle of a requester may be no handle of this vault. */
function ignoreMissing(error: unknown): null {
  if (Fault.is(error) && (error.code === 'sealed_erased' || error.code === 'sealed_unknown')) return null;
  throw error;
}

/** The texts and numbers of a value, and the keys that are data. Each may be repeated alone. */
export function plainTexts(value: Json): readonly string[] {
  if (typeof value === 'string') return isSealedHandle(value) ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  if (isJsonList(value)) return value.flatMap(plainTexts);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => [
    ...(FIELD_NAME.test(key) || isSealedHandle(key) ? [] : [key]),
    ...plainTexts(child),
  ]);
}

/** A key that a program gives, such as `first_name`. It names a field in many documents, and identifies no person. */
const FIELD_NAME = /^[A-Za-z_$][\w$-]*$/;
