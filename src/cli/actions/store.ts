import { createPrivateKey, createPublicKey } from 'node:crypto';
import { resolve } from 'node:path';
import type { KeyPair } from '../../approvals.ts';
import { type AmbitConfig, Fault } from '../../index.ts';
import { parseStore } from '../../model/index.ts';
import { type StoreReport, storeTools } from '../../store.ts';
import { type Action, argument, type Call, getExitCode, isFlagSet, readNumberFlag, readTextFlag } from '../command.ts';
import { loadConfig } from '../config/load-config.ts';
import { readKeyFile } from '../decider.ts';
import { writeNewFile } from '../files.ts';
import { confirm } from '../terminal/prompts.ts';
import type { CliTerminal } from '../terminal/terminal.ts';
import { formatCount } from '../views/format.ts';

/** Returns the file of `--file`, or the store file of the config. A store in memory has no file. */
export async function findStoreFile({ flags, configFile }: Call): Promise<string> {
  const file = readTextFlag(flags, 'file');
  if (file !== null) return resolve(file);
  const { config } = await loadConfig(configFile);
  const place = parseStore(config.store ?? 'memory');
  if (place.kind === 'sqlite') return place.file;
  throw new Fault('input_invalid', "the config uses a store in memory: set store: 'sqlite:…', or pass --file <file>");
}

/** The guards of the config. A file that is named without a config is checked without guards of a host. */
async function findGuards({ flags, configFile }: Call): Promise<AmbitConfig['guards']> {
  if (readTextFlag(flags, 'file') !== null && configFile === null) return undefined;
  return (await loadConfig(configFile)).config.guards;
}

export const checkStoreAction: Action = async (call) => {
  const { terminal } = call;
  const key = await findAnchorKey(call);
  const publicKey = readTextFlag(call.flags, 'signedBy') ?? key?.publicKey;
  const guards = await findGuards(call);
  const report = storeTools.check(await findStoreFile(call), {
    ...(publicKey === undefined ? {} : { publicKey }),
    ...(guards === undefined ? {} : { guards }),
  });
  const { file, format, sessions, frames, texts, pruned, unverified, problems } = report;
  terminal.show(report, () => {
    const signing = frames === 0 ? '' : ` (${describeSigning(frames, report.unsigned_frames)})`;
    const counts = `${formatCount(sessions, 'session')} (${pruned} pruned), ${formatCount(frames, 'frame')}${signing}, ${formatCount(texts, 'text')}`;
    const summary = `${file}, format ${format}: ${counts}, ${describePermissions(report)}`;
    const intact = problems.length === 0;
    return [
      ...problems.map(({ place, message }) => `${terminal.paint('bad', '✗')} ${place}: ${message}`),
      ...unverified.map(({ place, message }) => `${terminal.paint('warning', '!')} ${place}: unverified: ${message}`),
      intact ? `${terminal.paint('good', '✓')} ${summary}: no problems` : summary,
    ].join('\n');
  });
  return getExitCode(problems.length === 0 ? 'done' : 'found');
};

/** The permission records, and whether the anchor key signed them. */
function describePermissions({ permissions: { records, unsigned } }: StoreReport): string {
  return `${formatCount(records, 'permission record')}${records === 0 ? '' : ` (${describeSigning(records, unsigned)})`}`;
}

const describeSigning = (all: number, unsigned: number): string =>
  unsigned === 0 ? 'signed' : unsigned === all ? 'unsigned' : `${unsigned} unsigned`;

/** The key pair of `--key`, or the anchor key of the store of the config. */
async function findAnchorKey({ flags, configFile }: Call): Promise<KeyPair | null> {
  const key = readTextFlag(flags, 'key');
  if (key !== null) return toKeyPair(readKeyFile(key).private_key);
  if (readTextFlag(flags, 'file') !== null) return null;
  const { config } = await loadConfig(configFile);
  const place = parseStore(config.store ?? 'memory');
  return place.kind === 'sqlite' && place.anchorKey !== undefined
    ? toKeyPair(readKeyFile(place.anchorKey).private_key)
    : null;
}

export const backupStoreAction: Action = async (call) => {
  const { terminal } = call;
  const file = await findStoreFile(call);
  const to = resolve(argument(call, 'to'));
  const { bytes } = await storeTools.backup(file, to);
  terminal.show({ file, to, bytes }, () => `${terminal.paint('good', '✓')} copied ${file} to ${to}, ${bytes} bytes`);
  return getExitCode('done');
};

/** Prunes old sessions of a tenant. Requires `--yes` or a confirmation at the terminal. */
export const pruneStoreAction: Action = async (call) => {
  const { terminal, flags } = call;
  const tenant = readTextFlag(flags, 'tenant');
  if (tenant === null) throw new Fault('input_invalid', 'a tenant is required: --tenant <id>');
  const olderThanMs = readNumberFlag(flags, 'olderThan');
  if (olderThanMs === null) throw new Fault('input_invalid', 'an age is required, such as --older-than 90d');
  const file = await findStoreFile(call);
  if (!isFlagSet(flags, 'yes') && !(await confirmPrune(terminal, tenant))) {
    throw new Fault('input_invalid', 'pruning cannot be undone: confirm with --yes');
  }
  const key = await findAnchorKey(call);
  const reason = readTextFlag(flags, 'reason');
  const pruned = storeTools.prune(file, {
    tenant,
    olderThanMs,
    now: Date.now(),
    ...(reason === null ? {} : { reason }),
    ...(key === null ? {} : { key }),
  });
  terminal.show(
    pruned,
    () =>
      `${terminal.paint('good', '✓')} pruned ${formatCount(pruned.sessions.length, 'session')} of ${tenant}: deleted ${formatCount(pruned.frames, 'frame')} and ${formatCount(pruned.texts, 'text')}; kept endings, decision records and chain heads`,
  );
  return getExitCode('done');
};

const confirmPrune = async ({ isInteractive }: CliTerminal, tenant: string): Promise<boolean> =>
  await confirm(isInteractive, `Prune the old sessions of ${tenant}? This cannot be undone.`, 'Prune');

export const anchorStoreAction: Action = async (call) => {
  const { terminal, flags } = call;
  const file = await findStoreFile(call);
  const session = readTextFlag(flags, 'session');
  const key = await findAnchorKey(call);
  const out = readTextFlag(flags, 'out');
  const anchors = storeTools.anchor(file, {
    now: Date.now(),
    ...(session === null ? {} : { session }),
    ...(key === null ? {} : { key }),
  });
  if (out === null) {
    terminal.show(anchors, () => JSON.stringify(anchors, null, 2));
    return getExitCode('done');
  }
  writeNewFile(resolve(out), `${JSON.stringify(anchors, null, 2)}\n`);
  const { heads, signature } = anchors;
  const signing = signature === null ? 'unsigned' : `signed, public key ${signature.public_key}`;
  terminal.show(
    { file: resolve(out), heads: heads.length, signature },
    () =>
      `${terminal.paint('good', '✓')} wrote ${formatCount(heads.length, 'head')} to ${resolve(out)}, ${signing}; keep the file where users of the store cannot write`,
  );
  return getExitCode('done');
};

function toKeyPair(privateKey: string): KeyPair {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return { publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'), privateKey };
}
