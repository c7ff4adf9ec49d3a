import { createPrivateKey, createPublicKey } from 'node:crypto';
import { resolve } from 'node:path';
import { Fault, storeTools } from '../../index.ts';
import { parseStore } from '../../model/index.ts';
import { type Action, type Call, isOn, numberOf, textOf } from '../command.ts';
import { loadConfig } from '../config/load-config.ts';
import { readKey } from '../decider.ts';
import { exitOf } from '../exit-codes.ts';
import { writeNew } from '../new-file.ts';
import { askChoice } from '../terminal/ask.ts';
import { counted } from '../views/counted.ts';
import { word } from './with-runtime.ts';

/** The file that is named, or that of the config. A store that lives in memory is gone before anybody could look after it. */
export async function storeFile({ flags, configFile }: Call): Promise<string> {
  const named = textOf(flags, 'file');
  if (named !== null) return resolve(named);
  const { config } = await loadConfig(configFile);
  const place = parseStore(config.store ?? 'memory');
  if (place.kind === 'sqlite') return place.file;
  throw new Fault('input_invalid', "the config keeps its runs in memory: give store: 'sqlite:…', or --file <file>");
}

export const checkStore: Action = async (call) => {
  const { terminal } = call;
  const report = storeTools.check(await storeFile(call));
  const { file, format, sessions, frames, texts, pruned, problems } = report;
  terminal.show(report, () => {
    const looked = `${file}, format ${format}: ${counted(sessions, 'session')} (${pruned} pruned), ${counted(frames, 'frame')}, ${counted(texts, 'text')}`;
    if (problems.length === 0) return `${terminal.paint('good', '✓')} ${looked}: nothing is wrong`;
    return [...problems.map(({ place, message }) => `${terminal.paint('bad', '✗')} ${place}: ${message}`), looked].join(
      '\n',
    );
  });
  return exitOf(problems.length === 0 ? 'done' : 'found');
};

export const backupStore: Action = async (call) => {
  const { terminal } = call;
  const file = await storeFile(call);
  const to = resolve(word(call, 'to'));
  const { bytes } = await storeTools.backup(file, to);
  terminal.show(
    { file, to, bytes },
    () => `${terminal.paint('good', '✓')} ${to}, ${bytes} bytes: can be opened like the original`,
  );
  return exitOf('done');
};

/** What is removed is gone, so somebody says so twice: in the line, and by `--yes` or at the terminal. */
export const pruneStore: Action = async (call) => {
  const { terminal, flags } = call;
  const tenant = textOf(flags, 'tenant');
  if (tenant === null) throw new Fault('input_invalid', 'whose sessions? --tenant <id>');
  const olderThanMs = numberOf(flags, 'olderThan');
  if (olderThanMs === null) throw new Fault('input_invalid', 'ended how long ago? --older-than 90d');
  const file = await storeFile(call);
  if (!isOn(flags, 'yes') && !(await isSure(call, tenant))) {
    throw new Fault('input_invalid', 'frames and texts that are pruned are gone: add --yes');
  }
  const pruned = storeTools.prune(file, { tenant, olderThanMs, now: Date.now() });
  terminal.show(
    pruned,
    () =>
      `${terminal.paint('good', '✓')} ${counted(pruned.sessions.length, 'session')} of ${tenant}: ${counted(pruned.frames, 'frame')} and ${counted(pruned.texts, 'text')} are gone; how they ended, their decision records and the heads of their chains are kept`,
  );
  return exitOf('done');
};

async function isSure({ terminal }: Call, tenant: string): Promise<boolean> {
  if (!terminal.interactive) return false;
  const answer = await askChoice(`Remove what ${tenant} need not keep any longer? There is no way back.`, [
    { value: 'no', label: 'No' },
    { value: 'yes', label: 'Remove it' },
  ]);
  return answer === 'yes';
}

export const anchorStore: Action = async (call) => {
  const { terminal, flags } = call;
  const file = await storeFile(call);
  const session = textOf(flags, 'session');
  const key = textOf(flags, 'key');
  const out = textOf(flags, 'out');
  const anchors = storeTools.anchor(file, {
    now: Date.now(),
    ...(session === null ? {} : { session }),
    ...(key === null ? {} : { key: pairOf(readKey(key).private_key) }),
  });
  if (out === null) {
    terminal.show(anchors, () => JSON.stringify(anchors, null, 2));
    return exitOf('done');
  }
  writeNew(resolve(out), `${JSON.stringify(anchors, null, 2)}\n`);
  const { heads, signature } = anchors;
  const signed = signature === null ? 'unsigned' : `signed, public key ${signature.public_key}`;
  terminal.show(
    { file: resolve(out), heads: heads.length, signature },
    () =>
      `${terminal.paint('good', '✓')} ${resolve(out)}: ${counted(heads.length, 'head')}, ${signed}; keep it where nobody who can write the store can write`,
  );
  return exitOf('done');
};

function pairOf(privateKey: string): { readonly publicKey: string; readonly privateKey: string } {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return { publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'), privateKey };
}
