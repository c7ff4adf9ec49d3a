import type { Command, Flag } from '../command.ts';

const FILE: Flag = {
  flag: '--file <file>',
  description: 'store file (default: the store of the config)',
  completion: 'file',
};

const SIGNED_BY: Flag = {
  flag: '--signed-by <key>',
  description: 'public key that must have signed the permissions (default: the anchor key of the config)',
};

const KEY: Flag = {
  flag: '--key <file>',
  description: 'key file that signs, from ambit keys new (default: the anchor key of the config)',
  completion: 'file',
};

export const STORE_COMMANDS: readonly Command[] = [
  {
    name: 'store check',
    description: 'Check the store file: schema, hash chains, texts and every row; works while others write',
    flags: [SIGNED_BY, FILE],
    examples: [{ line: 'ambit store check', description: 'prints each problem with its position; exit 1 if any' }],
    load: async () => (await import('../actions/store.ts')).checkStoreAction,
  },
  {
    name: 'store backup',
    description: 'Copy the store to a new file; works while others write',
    args: [{ name: 'to', description: 'new file', required: true, completion: 'file' }],
    flags: [FILE],
    examples: [{ line: 'ambit store backup ambit-2026-11-15.db', description: 'the copy opens like the original' }],
    load: async () => (await import('../actions/store.ts')).backupStoreAction,
  },
  {
    name: 'store prune',
    description: 'Delete old sessions of a tenant; their endings and decision records are kept',
    flags: [
      { flag: '--tenant <id>', description: 'tenant whose sessions are pruned' },
      {
        flag: '--older-than <time>',
        description: 'only sessions that ended longer ago than this, such as 90d, 12h or 30min',
        valueKind: 'time',
      },
      { flag: '--reason <text>', description: 'recorded with each pruned session (default: its retention is over)' },
      KEY,
      { flag: '--yes', description: 'confirm the deletion, which cannot be undone' },
      FILE,
    ],
    examples: [
      {
        line: 'ambit store prune --tenant shop --older-than 90d --yes',
        description: 'keeps sessions that have not ended',
      },
    ],
    load: async () => (await import('../actions/store.ts')).pruneStoreAction,
  },
  {
    name: 'store anchor',
    description: 'Write the head of every hash chain to a file, optionally signed',
    flags: [
      { flag: '--session <session>', description: 'only this session', completion: 'session' },
      KEY,
      { flag: '--out <file>', description: 'new file for the anchors (default: standard output)', completion: 'file' },
      FILE,
    ],
    examples: [
      {
        line: 'ambit store anchor --key ana_1.key.json --out anchors.json',
        description: 'keep anchors.json on another machine',
      },
    ],
    load: async () => (await import('../actions/store.ts')).anchorStoreAction,
  },
];
