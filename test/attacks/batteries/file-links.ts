import { deepEqual, equal } from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceAccess } from '../../../src/adapters/node/workspace-access.ts';
import { agent, ambit, type RunOutcome, templatePlanner, tool } from '../../../src/index.ts';
import type { FileAccess } from '../../../src/ports/workspace-files.ts';
import type { Attack } from '../battery.ts';

interface Workspace {
  readonly root: string;
  /** The folder that nothing may reach, with `secret.txt`. */
  readonly outside: string;
}

/** A workspace with `notes/a.txt`, a folder `notes/deep`, a folder `private` that is not permitted, and an outside. */
function newWorkspace(): Workspace {
  const home = mkdtempSync(join(tmpdir(), 'ambit-links-'));
  const [root, outside] = [join(home, 'workspace'), join(home, 'outside')];
  for (const folder of [join(root, 'notes/deep'), join(root, 'private'), outside])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'notes/a.txt'), 'before');
  writeFileSync(join(root, 'notes/deep/b.txt'), 'before');
  writeFileSync(join(root, 'private/secret.txt'), 'outside');
  writeFileSync(join(outside, 'secret.txt'), 'outside');
  writeFileSync(join(outside, 'a.txt'), 'outside');
  return { root, outside };
}

/** Requires that no file outside has changed, and that none was added. */
function assertUntouched({ root, outside }: Workspace): void {
  deepEqual(readdirSync(outside).toSorted(), ['a.txt', 'secret.txt']);
  for (const file of [join(outside, 'a.txt'), join(outside, 'secret.txt'), join(root, 'private/secret.txt')])
    equal(readFileSync(file, 'utf8'), 'outside');
  deepEqual(readdirSync(join(root, 'private')), ['secret.txt']);
}

/** Replaces a path of the workspace. */
const swap = (path: string, put: (path: string) => unknown): void => {
  rmSync(path, { recursive: true, force: true });
  put(path);
};

/** What happens between the check of `path` and its use. */
interface Swap {
  readonly path: string;
  readonly change: (workspace: Workspace) => void;
}

const SWAPS: Readonly<Record<string, Swap>> = {
  'a folder for a link to the outside': {
    path: 'notes/a.txt',
    change: ({ root, outside }) => swap(join(root, 'notes'), (at) => symlinkSync(outside, at)),
  },
  'a folder for a relative link to the outside': {
    path: 'notes/a.txt',
    change: ({ root }) => swap(join(root, 'notes'), (at) => symlinkSync('../outside', at)),
  },
  'a nested folder for a link to the outside': {
    path: 'notes/deep/secret.txt',
    change: ({ root, outside }) => swap(join(root, 'notes/deep'), (at) => symlinkSync(outside, at)),
  },
  'a folder for a link to a folder that is not permitted': {
    path: 'notes/deep/secret.txt',
    change: ({ root }) => swap(join(root, 'notes/deep'), (at) => symlinkSync(join(root, 'private'), at)),
  },
  'the file for a link to the outside': {
    path: 'notes/a.txt',
    change: ({ root, outside }) =>
      swap(join(root, 'notes/a.txt'), (at) => symlinkSync(join(outside, 'secret.txt'), at)),
  },
  'the file for a link to a file that does not exist yet': {
    path: 'notes/a.txt',
    change: ({ root, outside }) => swap(join(root, 'notes/a.txt'), (at) => symlinkSync(join(outside, 'new.txt'), at)),
  },
  'the file for another name of a file outside': {
    path: 'notes/a.txt',
    change: ({ root, outside }) => swap(join(root, 'notes/a.txt'), (at) => linkSync(join(outside, 'secret.txt'), at)),
  },
  'the file for a pipe': {
    path: 'notes/a.txt',
    change: ({ root }) => swap(join(root, 'notes/a.txt'), (at) => execFileSync('/usr/bin/env', ['mkfifo', at])),
  },
  'the file for a folder': { path: 'notes/a.txt', change: ({ root }) => swap(join(root, 'notes/a.txt'), mkdirSync) },
  'a folder for a link to a device': {
    path: 'notes/deep/zero',
    change: ({ root }) => swap(join(root, 'notes/deep'), (at) => symlinkSync('/dev', at)),
  },
};

/** Replaces the root of a workspace, which a runtime has seen before. */
const ROOT_SWAPS: Readonly<Record<string, (workspace: Workspace) => void>> = {
  'a link to the outside': ({ root, outside }) => {
    mkdirSync(join(outside, 'notes'));
    swap(root, (at) => symlinkSync(outside, at));
  },
  'another folder': ({ root }) => {
    renameSync(root, `${root}.old`);
    mkdirSync(join(root, 'notes'), { recursive: true });
    writeFileSync(join(root, 'notes/a.txt'), 'planted');
  },
  'a folder that is made after the root was removed': ({ root }) => {
    rmSync(root, { recursive: true });
    mkdirSync(join(root, 'notes'), { recursive: true });
    writeFileSync(join(root, 'notes/a.txt'), 'planted');
  },
};

const swappedRoots: Attack = {
  name: 'the root of a workspace is replaced while the process runs',
  run: async ({ refuses, attempt }) => {
    for (const [name, change] of Object.entries(ROOT_SWAPS)) {
      for (const [mode, holdsFolders] of Object.entries(MODES))
        for (const verb of ['write', 'read'] as const) {
          const workspace = newWorkspace();
          const files = workspaceAccess({ root: workspace.root, allow: ['notes'] }, { holdsFolders });
          change(workspace);
          await refuses(`${name}, ${verb}, ${mode}`, () => files[verb]('notes/a.txt', 'stolen'), 'permission_denied');
        }
      await attempt(`${name}: the gateway refuses the call`, async () => {
        const workspace = newWorkspace();
        const { outcome, calls } = await write(workspace, 'notes/a.txt', { beforeTheRun: () => change(workspace) });
        deepEqual([outcome.terminalCode, calls], ['PERMISSION_DENIED', 0]);
      });
      await attempt(`${name}, after the approval`, async () => {
        const workspace = newWorkspace();
        const { outcome, calls } = await write(workspace, 'notes/a.txt', { inTheTool: () => change(workspace) });
        deepEqual([outcome.terminalCode === 'SUCCESS', calls], [false, 1]);
      });
    }
  },
};

const BAD_PATHS = [
  '../outside/secret.txt',
  'notes/../../outside/secret.txt',
  '/etc/passwd',
  'private/secret.txt',
  'private/new.txt',
  'elsewhere/new.txt',
  '',
  '.',
];

/** How files are opened on Linux and on other systems. */
const MODES = { 'holding folders': true, 'comparing files': false } as const;

const swappedFiles: Attack = {
  name: 'a path is swapped between its check and its use',
  run: async ({ attempt, refuses }) => {
    for (const [mode, holdsFolders] of Object.entries(MODES)) {
      for (const [name, { path, change }] of Object.entries(SWAPS)) {
        for (const verb of ['write', 'read'] as const) {
          const workspace = newWorkspace();
          const files = workspaceAccess({ root: workspace.root, allow: ['notes'] }, { holdsFolders });
          change(workspace);
          await refuses(`${name}, ${verb}, ${mode}`, () => files[verb](path, 'stolen'));
          await attempt(`${name}, ${verb}, ${mode}: nothing changed`, () => assertUntouched(workspace));
        }
      }
      for (const path of BAD_PATHS) {
        const workspace = newWorkspace();
        const files = workspaceAccess({ root: workspace.root, allow: ['notes'] }, { holdsFolders });
        await refuses(`the path ${JSON.stringify(path)}, ${mode}`, () => files.write(path, 'stolen'));
        await attempt(`the path ${JSON.stringify(path)}, ${mode}: nothing changed`, () => {
          assertUntouched(workspace);
          deepEqual(readdirSync(workspace.root).toSorted(), ['notes', 'private']);
        });
      }
      await attempt(`an honest write, ${mode}`, () => writesAndReads(holdsFolders));
    }
  },
};

async function writesAndReads(holdsFolders: boolean): Promise<void> {
  const { root } = newWorkspace();
  const files: FileAccess = workspaceAccess({ root, allow: ['notes'] }, { holdsFolders });
  await files.write('notes/a.txt', 'after');
  await files.write('./notes/new/folder/c.txt', 'fresh');
  equal(readFileSync(join(root, 'notes/a.txt'), 'utf8'), 'after');
  equal(Buffer.from(await files.read('notes/new/folder/c.txt')).toString(), 'fresh');
}

/** What another program changes. `inTheTool` happens after the call was checked and approved. */
interface Changes {
  readonly beforeTheRun?: () => void;
  readonly inTheTool?: () => void;
}

/** A run that writes one file. */
async function write(
  { root }: Workspace,
  path: string,
  { beforeTheRun, inTheTool }: Changes = {},
): Promise<{ readonly outcome: RunOutcome; readonly calls: number }> {
  let calls = 0;
  const put = tool({
    name: 'put',
    description: 'Writes a file',
    approvalMode: 'local_write',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    outputSchema: { type: 'object' },
    execute: async (args, { files }) => {
      calls += 1;
      inTheTool?.();
      await files.write(String(args['path']), 'stolen');
      return { written: true };
    },
    effects: { produces: ['done'], idempotency: { kind: 'key', retentionMs: 60_000 } },
    risk: { category: 'file_system' },
    rules: { category: { root, allow: ['notes'], paths: ['/path'], operation: 'write' } },
    limits: { retries: 0 },
  });
  const writer = agent({
    name: 'writer',
    planner: templatePlanner({
      put: {
        plan_id: 'p',
        intent: 'put',
        steps: [{ id: 'a', tool: 'put', params: { path } }],
        decision_checkpoints: [],
      },
    }),
    tools: [put],
    intents: [{ intent: 'put', description: 'Writes', criteria: [{ id: 'ok', statement: 'Done.', evidence: 'done' }] }],
    boundary: 'customer_support',
    budget: 'standard',
    settings: { roles: { clerk: 'destructive' } },
  });
  const runtime = ambit({ agent: writer, limits: { onEscalate: 'end' } });
  beforeTheRun?.();
  const user = { name: 'sam', tenant: 'tenant_a', roles: ['clerk'] };
  let outcome: RunOutcome = await runtime.invoke('writer', { goal: 'Write it', user });
  for (let [gate] = outcome.pending; gate !== undefined; [gate] = outcome.pending) {
    const credential = { kind: 'local_operator', name: 'lea' } as const;
    outcome = await runtime.approve(gate.gateId, { packetHash: gate.packetHash, credential, reason: 'seen' });
  }
  await runtime.close();
  return { outcome, calls };
}

const runs: Attack = {
  name: 'a run writes through a link',
  run: async ({ attempt }) => {
    await attempt('the file has another name outside: the call is denied', async () => {
      const workspace = newWorkspace();
      linkSync(join(workspace.outside, 'secret.txt'), join(workspace.root, 'notes/hard.txt'));
      const { outcome, calls } = await write(workspace, 'notes/hard.txt');
      deepEqual([outcome.terminalCode, calls], ['PERMISSION_DENIED', 0]);
      assertUntouched(workspace);
    });
    for (const [name, { path, change }] of Object.entries(SWAPS)) {
      await attempt(`${name}, after the approval`, async () => {
        const workspace = newWorkspace();
        const { outcome, calls } = await write(workspace, path, { inTheTool: () => change(workspace) });
        deepEqual([outcome.terminalCode === 'SUCCESS', calls], [false, 1]);
        assertUntouched(workspace);
      });
    }
    await attempt('an honest run writes', async () => {
      const workspace = newWorkspace();
      const { outcome } = await write(workspace, 'notes/a.txt');
      equal(outcome.terminalCode, 'SUCCESS', outcome.why.join(' '));
      equal(readFileSync(join(workspace.root, 'notes/a.txt'), 'utf8'), 'stolen');
    });
  },
};

/** A process that replaces a folder by a link, and the link by a folder, until its input ends. */
const SWAPPING = `
const { mkdirSync, rmSync, symlinkSync } = require('node:fs');
let ends = false;
process.stdin.on('end', () => { ends = true; }).resume();
const [folder, outside] = process.argv.slice(1);
// The writer may create the folder or a file in it at the same moment.
const attempt = (act) => { try { act(); } catch {} };
const turn = () => {
  for (let times = 0; times < 20; times += 1) {
    attempt(() => rmSync(folder, { recursive: true, force: true }));
    attempt(() => symlinkSync(outside, folder));
    attempt(() => rmSync(folder, { recursive: true, force: true }));
    attempt(() => mkdirSync(folder));
  }
  if (ends) process.exit(0); else setImmediate(turn);
};
console.log('swapping');
turn();
`;

const races: Attack = {
  name: 'another process swaps a folder all the time',
  run: async ({ attempt }) => {
    await attempt('300 writes', async () => {
      const workspace = newWorkspace();
      const folder = join(workspace.root, 'notes');
      const other = spawn(process.execPath, ['-e', SWAPPING, folder, workspace.outside]);
      const ended = new Promise((resolve) => other.once('exit', resolve));
      await new Promise((resolve) => other.stdout.once('data', resolve));
      const files = workspaceAccess({ root: workspace.root, allow: ['notes'] });
      for (let times = 0; times < 300; times += 1) await files.write('notes/a.txt', 'stolen').catch(() => undefined);
      other.stdin.end();
      equal(await ended, 0);
      assertUntouched(workspace);
    });
  },
};

/** Attacks of the battery `files` on links. */
export const fileLinkAttacks: readonly Attack[] = [swappedFiles, swappedRoots, runs, races];
