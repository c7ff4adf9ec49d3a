import { resolve } from 'node:path';
import { type AmbitConfig, Fault, type Identity } from '../../index.ts';
import { type Flags, textOf } from '../command.ts';
import { jsonFile } from '../json-file.ts';

/** For so long the identity of one request is good, where nothing else is said. */
const IDENTITY_MS = 3_600_000;

/** For whom a run acts: the file that is named, or the identity of the config, with what is typed in its place. */
export function identityOf(flags: Flags, config: AmbitConfig): Identity {
  const file = textOf(flags, 'identity');
  const known: Partial<Identity> = file === null ? (config.identity ?? {}) : jsonFile(resolve(file), '--identity');
  const actor = textOf(flags, 'actor') ?? known.actor;
  const tenant_id = textOf(flags, 'tenant') ?? known.tenant_id;
  if (actor === undefined || tenant_id === undefined) {
    const message =
      'nobody has said for whom the run acts: give identity in the config, or --identity <file>, or --actor and --tenant';
    throw new Fault('input_missing', message);
  }
  const { roles = [], scopes = [], expires_at = Date.now() + IDENTITY_MS } = known;
  return { actor, tenant_id, roles, scopes, expires_at };
}
