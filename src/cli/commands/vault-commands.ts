import type { Argument, Command } from '../command.ts';
import { DECIDER_FLAGS, GATE, REASON } from './shared-options.ts';

const TENANT: Argument = { name: 'tenant', description: 'tenant id', required: true };

/** Sealed values of tenants. Only `vault reveal` shows a value, and only to an approver of its gate. */
export const VAULT_COMMANDS: readonly Command[] = [
  {
    name: 'vault list',
    description: 'List tenants with sealed values, the number of values and the last erasure',
    examples: [{ line: 'ambit vault list', description: 'prints no values and no handles' }],
    load: async () => (await import('../actions/vault.ts')).listVaultAction,
  },
  {
    name: 'vault history',
    description: "List the erasures and reveals of a tenant's sealed values",
    args: [TENANT],
    examples: [{ line: 'ambit vault history shop --json', description: 'for an audit' }],
    load: async () => (await import('../actions/vault.ts')).showVaultHistoryAction,
  },
  {
    name: 'vault reveal',
    description: 'Reveal a sealed value to an approver of the open gate that contains it; recorded in the history',
    args: [GATE, { name: 'handle', description: 'handle of the value, from gates show', required: true }],
    flags: [...DECIDER_FLAGS],
    examples: [
      {
        line: 'ambit vault reveal gate_run_1f0…_1 sealed:v1:9a4… --as ana --role finance',
        description: 'records that ana has seen the value',
      },
    ],
    load: async () => (await import('../actions/vault.ts')).revealValueAction,
  },
  {
    name: 'vault erase',
    description: "Destroy a tenant's key and thereby all its sealed values; runs can still be replayed",
    args: [TENANT],
    flags: [{ flag: '--yes', description: 'confirm the erasure, which cannot be undone' }, REASON, ...DECIDER_FLAGS],
    examples: [
      {
        line: 'ambit vault erase shop --reason "the contract has ended" --yes --as ana --role operator',
        description: 'requires the operator role',
      },
    ],
    load: async () => (await import('../actions/vault.ts')).eraseVaultAction,
  },
];
