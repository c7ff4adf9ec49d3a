import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { enrolKey, Fault, type KeyStore, keyTools } from '../../index.ts';
import { type Action, type Call, listOf, numberOf, textOf } from '../command.ts';
import type { KeyFile } from '../decider.ts';
import { exitOf } from '../exit-codes.ts';
import { writeNew } from '../new-file.ts';
import { printed } from '../terminal/printed.ts';
import { table } from '../terminal/table.ts';
import { instant } from '../views/instants.ts';
import { neededReason } from './sessions.ts';
import { type Opened, withRuntime, word } from './with-runtime.ts';

function keysOf({ config }: Opened): KeyStore {
  const keys = config.world?.policy?.approvers?.keys;
  if (keys !== undefined) return keys;
  const message = "the config keeps no keys: give world.policy.approvers.keys, such as keyTools.inFile('keys.json')";
  throw new Fault('input_invalid', message);
}

function needed({ flags }: Call, name: string): string {
  const value = textOf(flags, name);
  if (value === null) throw new Fault('input_invalid', `--${name} is needed`);
  return value;
}

/** Makes a pair: the public half is enrolled, the private half is written for its owner alone and shown to nobody. */
export const newKey: Action = (call) =>
  withRuntime(call, async (opened) => {
    const { terminal, flags } = call;
    const key_id = word(call, 'key');
    const approver = needed(call, 'approver');
    const file = resolve(textOf(flags, 'out') ?? `${key_id}.key.json`);
    const { publicKey, privateKey } = keyTools.newPair();
    const days = numberOf(flags, 'days');
    const now = Date.now();
    const kept: KeyFile = { key_id, approver, private_key: privateKey };
    const keys = keysOf(opened);
    writeNew(file, `${JSON.stringify(kept, null, 2)}\n`, 0o600);
    const key = await enrolKey(keys, {
      key_id,
      approver,
      tenant_id: needed(call, 'tenant'),
      roles: listOf(flags, 'role'),
      public_key: publicKey,
      enrolled_at: now,
      enrolled_by: needed(call, 'by'),
      expires_at: days === null ? null : now + days * 86_400_000,
    }).catch((error: unknown) => {
      // A key that nobody believes is no use to its owner.
      rmSync(file);
      throw error;
    });
    terminal.show(
      { key, file },
      () =>
        `${terminal.paint('good', '✓')} ${key_id} of ${approver} is enrolled; the private half is in ${file}, for its owner alone`,
    );
    return exitOf('done');
  });

export const listKeys: Action = (call) =>
  withRuntime(call, async (opened) => {
    const { terminal } = call;
    const keys = await keysOf(opened).list();
    const rows = keys.map(({ key_id, approver, tenant_id, roles, revoked, expires_at }) => [
      key_id,
      printed(approver),
      tenant_id,
      roles.join(' ') || '-',
      revoked !== null
        ? terminal.paint('bad', `revoked: ${printed(revoked.reason)}`)
        : expires_at === null
          ? 'good'
          : `until ${instant(expires_at)}`,
    ]);
    terminal.show(keys, () =>
      rows.length === 0
        ? 'No key is enrolled.'
        : table(['KEY', 'APPROVER', 'TENANT', 'ROLES', 'STATE'], rows, terminal.columns()),
    );
    return exitOf('done');
  });

export const revokeKey: Action = (call) =>
  withRuntime(call, async (opened) => {
    const { terminal } = call;
    const key = word(call, 'key');
    const revocation = { at: Date.now(), by: needed(call, 'by'), reason: neededReason(call) };
    await keysOf(opened).revoke(key, revocation);
    terminal.show({ key, ...revocation }, () => `${terminal.paint('good', '✓')} ${key} is revoked`);
    return exitOf('done');
  });
