import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { enrolKey, type KeyStore, keyTools } from '../../approvals.ts';
import { Fault } from '../../index.ts';
import { type Action, argument, readListFlag, readNumberFlag, readTextFlag } from '../command.ts';
import { type KeyFile, requireReason, requireTextFlag } from '../decider.ts';
import { writeNewFile } from '../files.ts';
import { type OpenedConfig, withRuntime } from '../shared/with-runtime.ts';
import { escapeText } from '../terminal/escape.ts';
import { showTable } from '../terminal/render-table.ts';
import { formatInstant } from '../views/format.ts';

function requireKeyStore({ config }: OpenedConfig): KeyStore {
  const keys = config.world?.policy?.approvers?.keys;
  if (keys !== undefined) return keys;
  const message =
    "the config has no key store: set world.policy.approvers.keys, for example keyTools.inFile('keys.json')";
  throw new Fault('input_invalid', message);
}

/** Creates a key pair: enrols the public key and writes the private key to a file that only its owner can read. */
export const newKeyAction: Action = (call) =>
  withRuntime(call, async (opened) => {
    const { terminal, flags } = call;
    const key_id = argument(call, 'key');
    const approver = requireTextFlag(call, 'approver');
    const tenant_id = requireTextFlag(call, 'tenant');
    const enrolled_by = requireTextFlag(call, 'by');
    const file = resolve(readTextFlag(flags, 'out') ?? `${key_id}.key.json`);
    const { publicKey, privateKey } = keyTools.newPair();
    const days = readNumberFlag(flags, 'days');
    const now = Date.now();
    const keyFile: KeyFile = { key_id, approver, private_key: privateKey };
    const keys = requireKeyStore(opened);
    writeNewFile(file, `${JSON.stringify(keyFile, null, 2)}\n`);
    const key = await enrolKey(keys, {
      key_id,
      approver,
      tenant_id,
      roles: readListFlag(flags, 'role'),
      public_key: publicKey,
      enrolled_at: now,
      enrolled_by,
      expires_at: days === null ? null : now + days * 86_400_000,
    }).catch((error: unknown) => {
      // A key that is not enrolled is useless.
      rmSync(file);
      throw error;
    });
    terminal.show(
      { key, file },
      () =>
        `${terminal.paint('good', '✓')} enrolled ${key_id} of ${approver}; the private key is in ${file}, readable only by its owner`,
    );
  });

export const listKeysAction: Action = (call) =>
  withRuntime(call, async (opened) => {
    const { terminal } = call;
    const keys = await requireKeyStore(opened).list();
    const rows = keys.map(({ key_id, approver, tenant_id, roles, revoked, expires_at }) => [
      key_id,
      escapeText(approver),
      tenant_id,
      roles.join(' ') || '-',
      revoked !== null
        ? terminal.paint('bad', `revoked: ${escapeText(revoked.reason)}`)
        : expires_at === null
          ? 'valid'
          : `valid until ${formatInstant(expires_at)}`,
    ]);
    showTable(terminal, keys, {
      headings: ['KEY', 'APPROVER', 'TENANT', 'ROLES', 'STATE'],
      rows,
      empty: 'No enrolled keys.',
    });
  });

export const revokeKeyAction: Action = (call) =>
  withRuntime(call, async (opened) => {
    const { terminal } = call;
    const key = argument(call, 'key');
    const revocation = { at: Date.now(), by: requireTextFlag(call, 'by'), reason: requireReason(call) };
    await requireKeyStore(opened).revoke(key, revocation);
    terminal.show({ key, ...revocation }, () => `${terminal.paint('good', '✓')} revoked ${key}`);
  });
