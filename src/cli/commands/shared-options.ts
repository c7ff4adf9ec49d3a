import type { Argument, Flag } from '../command.ts';

export const SESSION: Argument = { name: 'session', description: 'session id', required: true, completion: 'session' };
export const GATE: Argument = { name: 'gate', description: 'gate id', required: true, completion: 'gate' };
export const AGENT: Argument = {
  name: 'agent',
  description: 'agent name; optional if the config has only one agent',
  required: false,
  completion: 'agent',
};

export const REASON: Flag = { flag: '--reason <text>', description: 'reason, recorded with the decision' };
export const PACKET: Flag = {
  flag: '--packet <hash>',
  description: 'hash of the packet you have read: in full, or at least 12 characters after sha256:',
};

/** Options that name the decider. `decider.ts` defines their precedence. */
export const DECIDER_FLAGS: readonly Flag[] = [
  {
    flag: '--as <name>',
    description: 'name of the decider, trusted without proof (or AMBIT_AS, or operator in the config)',
  },
  { flag: '--role <role>', description: 'role of the decider, with --as', repeatable: true },
  { flag: '--key <file>', description: 'key file that signs the decision (or AMBIT_KEY)', completion: 'file' },
  { flag: '--token <token>', description: "token for the config's authenticator (or AMBIT_TOKEN)" },
];

export const IDENTITY_FLAGS: readonly Flag[] = [
  {
    flag: '--identity <file>',
    description: 'JSON file with the identity of the run: actor, tenant_id, roles, scopes',
    completion: 'file',
  },
  { flag: '--actor <name>', description: 'override the actor of the identity' },
  { flag: '--tenant <id>', description: 'override the tenant of the identity' },
];
