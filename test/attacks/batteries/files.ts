import { deepEqual, equal } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { operator, planOf, type Rig, rig } from '../../runs/rig.ts';
import { type Attack, attack, type Battery } from '../battery.ts';
import { fileLinkAttacks } from './file-links.ts';

const SPARSE_BYTES = 64 * 2 ** 30;

/** A workspace with one file of each kind. */
async function withWorkspace(work: (root: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'ambit-attack-files-'));
  const socket = createServer();
  try {
    for (const folder of ['work', 'shared']) {
      mkdirSync(join(root, folder));
      writeFileSync(join(root, folder, 'small.txt'), 'one\ntwo');
      writeFileSync(join(root, folder, 'sparse.bin'), 'x');
      truncateSync(join(root, folder, 'sparse.bin'), SPARSE_BYTES);
      execFileSync('/usr/bin/env', ['mkfifo', join(root, folder, 'pipe')]);
      symlinkSync('/dev/zero', join(root, folder, 'zero'));
      symlinkSync(join(root, folder, 'pipe'), join(root, folder, 'to-pipe'));
      symlinkSync('/proc/self/mem', join(root, folder, 'memory'));
      symlinkSync(join(root, folder, 'loop'), join(root, folder, 'loop'));
    }
    await new Promise<void>((resolve) => socket.listen(join(root, 'work/socket'), resolve));
    await work(root);
  } finally {
    await new Promise<void>((resolve) => socket.close(() => resolve()));
    rmSync(root, { recursive: true });
  }
}

interface Called {
  readonly bench: Rig;
  readonly outcome: Awaited<ReturnType<Rig['invoke']>>;
}

async function call(root: string, params: JsonObject): Promise<Called> {
  const rules = {
    root,
    allow: ['work', 'shared'],
    remote: ['shared'],
    paths: ['/path'],
    operation: { at: '/op', read: ['read'], write: ['write'] },
    content: '/content',
    written_hash: '/sha256',
  };
  const bench = rig({
    tools: {
      act: {
        approval_mode: 'local_write',
        side_effect: true,
        produces: ['done'],
        category: 'file_system',
        rules,
        execute: ({ content }) => ({ sha256: sha256(String(content)) }),
      },
    },
    plans: [planOf([{ id: 'a', tool: 'act', params }])],
    options: { limits: { onEscalate: 'end' } },
  });
  return { bench, outcome: await bench.invoke() };
}

async function packetOf({ bench, outcome }: Called): Promise<string> {
  equal(outcome.status, 'awaiting_gate');
  return JSON.stringify(await bench.runtime.gates.packet(outcome.pending[0]?.packetHash ?? ''));
}

async function approve({ bench, outcome }: Called): Promise<void> {
  const { gateId = '', packetHash = '' } = outcome.pending[0] ?? {};
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('bo'), reason: 'seen' }));
}

const SPECIAL = ['pipe', 'to-pipe', 'zero', 'memory', 'loop', 'socket'];

const specialFiles: Attack = {
  name: 'a call on a pipe, a device, a socket or a loop of links is refused',
  run: ({ attempt }) =>
    withWorkspace(async (root) => {
      for (const name of SPECIAL) {
        for (const op of ['read', 'write']) {
          await attempt(`${op} ${name}`, async () => {
            const { bench, outcome } = await call(root, { op, path: `work/${name}`, content: 'x' });
            deepEqual([outcome.terminalCode, bench.dispatches.length], ['PERMISSION_DENIED', 0]);
          });
        }
      }
    }),
};

const sparseFiles: Attack = {
  name: 'a sparse file of 64 GiB does not stop the process',
  run: ({ attempt }) =>
    withWorkspace(async (root) => {
      await attempt('a write that needs no gate reads nothing', async () => {
        const { outcome } = await call(root, { op: 'write', path: 'work/sparse.bin', content: 'x' });
        equal(outcome.terminalCode, 'SUCCESS');
      });
      for (const params of [
        { op: 'write', path: 'shared/sparse.bin', content: 'x' },
        { op: 'delete', path: 'work/sparse.bin' },
        { op: 'write', path: ['work/sparse.bin', 'shared/sparse.bin'], content: 'x' },
      ]) {
        await attempt(`a gate identifies it: ${JSON.stringify(params)}`, async () => {
          const packet = await packetOf(await call(root, params));
          equal(packet.includes('stat:'), true);
          equal(packet.includes('sha256:'), true);
        });
      }
    }),
};

/** Ways in which a file changes between the packet and the approved call. */
const CHANGES: Readonly<Record<string, (path: string) => void>> = {
  'its content': (path) => writeFileSync(path, 'another content'),
  'its size': (path) => truncateSync(path, SPARSE_BYTES + 1),
  'its size, with the old times': (path) => {
    truncateSync(path, SPARSE_BYTES + 1);
    utimesSync(path, 0, 0);
  },
  'its kind': (path) => {
    rmSync(path);
    execFileSync('/usr/bin/env', ['mkfifo', path]);
  },
  'its existence': (path) => rmSync(path),
};

const changedFiles: Attack = {
  name: 'a file that changed after its packet was shown is not written',
  run: async ({ attempt }) => {
    for (const name of ['small.txt', 'sparse.bin']) {
      for (const [what, change] of Object.entries(CHANGES)) {
        await attempt(`${name}: ${what}`, () =>
          withWorkspace(async (root) => {
            const called = await call(root, { op: 'write', path: `shared/${name}`, content: 'x' });
            await packetOf(called);
            change(join(root, 'shared', name));
            await approve(called);
            equal(called.bench.dispatches.length, 0);
          }),
        );
      }
    }
  },
};

export const files: Battery = {
  name: 'files',
  attacks: [
    ...fileLinkAttacks,
    specialFiles,
    sparseFiles,
    changedFiles,
    attack('an unchanged sparse file is written after its approval', () =>
      withWorkspace(async (root) => {
        const called = await call(root, { op: 'write', path: 'shared/sparse.bin', content: 'x' });
        await approve(called);
        equal(called.bench.dispatches.length, 1);
      }),
    ),
    attack('a call with more paths than can be shown is refused', () =>
      withWorkspace(async (root) => {
        const path = Array.from({ length: 1_001 }, () => 'work/small.txt');
        const { bench, outcome } = await call(root, { op: 'delete', path });
        deepEqual([outcome.terminalCode, bench.dispatches.length], ['PERMISSION_DENIED', 0]);
      }),
    ),
  ],
};
