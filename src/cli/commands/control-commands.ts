import type { Argument, Command } from '../command.ts';
import { DECIDER_FLAGS, REASON } from './shared-options.ts';

const SWITCH: Argument = { name: 'switch', description: 'id of the kill switch', required: true };
const GRANT: Argument = { name: 'grant', description: 'id of the grant', required: true };

/** Kill switches and standing grants: decisions that an operator makes before a call. */
export const CONTROL_COMMANDS: readonly Command[] = [
  {
    name: 'switches list',
    description: 'List all kill switches, active and lifted',
    examples: [{ line: 'ambit switches list --json', description: 'includes failed attempts to lift a switch' }],
    load: async () => (await import('../actions/kill-switches.ts')).listSwitchesAction,
  },
  {
    name: 'switches throw',
    description: 'Block all side effects of a tenant, agent or tool, in every process, until the switch is lifted',
    flags: [
      { flag: '--tool <name>', description: 'block this tool' },
      { flag: '--agent <name>', description: 'block this agent and the agents that work for it' },
      { flag: '--tenant <id>', description: 'block this tenant' },
      REASON,
      ...DECIDER_FLAGS,
    ],
    examples: [
      {
        line: 'ambit switches throw --tool payments.refund --reason "the bank double-books" --as ana',
        description: 'blocks refunds; several options must all match',
      },
    ],
    load: async () => (await import('../actions/kill-switches.ts')).throwSwitchAction,
  },
  {
    name: 'switches lift',
    description: 'Lift a kill switch',
    args: [SWITCH],
    flags: [REASON, ...DECIDER_FLAGS],
    examples: [
      {
        line: 'ambit switches lift switch_1f0… --reason "the bank is fixed" --as ana --role operator',
        description: 'a switch without a tenant requires the operator role',
      },
    ],
    load: async () => (await import('../actions/kill-switches.ts')).liftSwitchAction,
  },
  {
    name: 'grants list',
    description: 'List standing grants and their remaining uses',
    examples: [{ line: 'ambit grants list', description: 'includes used and revoked grants' }],
    load: async () => (await import('../actions/grants.ts')).listGrantsAction,
  },
  {
    name: 'grants give',
    description: 'Approve calls of one network or delegated tool in advance',
    args: [{ name: 'file', description: 'JSON file with the terms of the grant', required: true, completion: 'file' }],
    flags: [...DECIDER_FLAGS],
    examples: [
      {
        line: 'ambit grants give reminders.json --as ana',
        description: 'terms: grant_id, tenant_id, tool, arguments, …',
      },
    ],
    load: async () => (await import('../actions/grants.ts')).giveGrantAction,
  },
  {
    name: 'grants revoke',
    description: 'Revoke a standing grant',
    args: [GRANT],
    flags: [REASON, ...DECIDER_FLAGS],
    examples: [
      {
        line: 'ambit grants revoke grant_reminders --reason "they have moved" --as ana',
        description: 'takes effect immediately',
      },
    ],
    load: async () => (await import('../actions/grants.ts')).revokeGrantAction,
  },
];
