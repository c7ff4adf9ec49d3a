import type { Command, Flag } from '../command.ts';

const FILE: Flag = { flag: '--file <file>', about: 'this store; that of the config, unless said', completes: 'file' };

export const STORE_COMMANDS: readonly Command[] = [
  {
    name: 'store check',
    about: 'Check the file, every chain and every text; it only reads, while others may write',
    flags: [FILE],
    examples: [{ line: 'ambit store check', about: 'exit 1 if something is wrong, each with its place' }],
    load: async () => (await import('../actions/store.ts')).checkStore,
  },
  {
    name: 'store backup',
    about: 'Copy the store while others write; the copy can be opened like the original',
    words: [{ name: 'to', about: 'a file that is not there yet', required: true, completes: 'file' }],
    flags: [FILE],
    examples: [{ line: 'ambit store backup ambit-2026-11-15.db', about: 'and to another machine with it' }],
    load: async () => (await import('../actions/store.ts')).backupStore,
  },
  {
    name: 'store prune',
    about: 'Remove what a tenant need not keep any longer; how sessions ended and their decision records stay',
    flags: [
      { flag: '--tenant <id>', about: 'whose sessions' },
      { flag: '--older-than <time>', about: 'that ended longer ago than this: 90d, 12h, 30min', reads: 'time' },
      { flag: '--yes', about: 'what is removed is gone, and that is meant' },
      FILE,
    ],
    examples: [{ line: 'ambit store prune --tenant shop --older-than 90d --yes', about: 'what has not ended is kept' }],
    load: async () => (await import('../actions/store.ts')).pruneStore,
  },
  {
    name: 'store anchor',
    about: 'Write down where every chain stands, signed, to be kept elsewhere',
    flags: [
      { flag: '--session <session>', about: 'of one session alone', completes: 'session' },
      { flag: '--key <file>', about: 'sign it with this key, as ambit keys new writes one', completes: 'file' },
      { flag: '--out <file>', about: 'into this file, which must not be there', completes: 'file' },
      FILE,
    ],
    examples: [
      { line: 'ambit store anchor --key ana_1.key.json --out anchors.json', about: 'then keep anchors.json elsewhere' },
    ],
    load: async () => (await import('../actions/store.ts')).anchorStore,
  },
];
