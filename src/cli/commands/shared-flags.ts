import type { Flag, Word } from '../command.ts';

export const SESSION: Word = { name: 'session', about: 'the id of the session', required: true, completes: 'session' };
export const GATE: Word = { name: 'gate', about: 'the id of the gate', required: true, completes: 'gate' };
export const AGENT: Word = {
  name: 'agent',
  about: 'the name of the agent; needless where there is one',
  required: false,
  completes: 'agent',
};

export const REASON: Flag = { flag: '--reason <text>', about: 'why, for the record' };
export const PACKET: Flag = {
  flag: '--packet <hash>',
  about: 'the packet that you have seen, whole or by its first 12 characters behind sha256:',
};

/** Who decides. See `decider.ts` for which of them counts. */
export const WHO: readonly Flag[] = [
  { flag: '--as <name>', about: 'who decides, where the process is believed (or AMBIT_AS, or operator of the config)' },
  { flag: '--role <role>', about: 'a role of theirs, with --as', many: true },
  { flag: '--key <file>', about: 'their key, to sign with where keys are enrolled (or AMBIT_KEY)', completes: 'file' },
  { flag: '--token <token>', about: 'a token that the authenticator of the config knows (or AMBIT_TOKEN)' },
];

/** For whom a run acts. */
export const FOR_WHOM: readonly Flag[] = [
  {
    flag: '--identity <file>',
    about: 'for whom the run acts: JSON with actor, tenant_id, roles, scopes',
    completes: 'file',
  },
  { flag: '--actor <name>', about: 'another actor than that of the identity' },
  { flag: '--tenant <id>', about: 'another tenant than that of the identity' },
];
