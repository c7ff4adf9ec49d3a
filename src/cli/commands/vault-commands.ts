import type { Command, Word } from '../command.ts';
import { GATE, REASON, WHO } from './shared-flags.ts';

const TENANT: Word = { name: 'tenant', about: 'the id of the tenant', required: true };

/** What is kept sealed, and its end. No value is shown but at the gate that is about it. */
export const VAULT_COMMANDS: readonly Command[] = [
  {
    name: 'vault list',
    about: 'For which tenants something is sealed, how many values, and when that was last erased',
    examples: [{ line: 'ambit vault list', about: 'tenants and counts; no value and no handle' }],
    load: async () => (await import('../actions/vault.ts')).listVault,
  },
  {
    name: 'vault history',
    about: 'Who had erased what was sealed for a tenant, and who has looked at which value',
    words: [TENANT],
    examples: [{ line: 'ambit vault history shop --json', about: 'for whoever audits it' }],
    load: async () => (await import('../actions/vault.ts')).vaultHistory,
  },
  {
    name: 'vault reveal',
    about: 'What a handle in the packet of an open gate stands for, to somebody who may decide it; that is kept',
    words: [GATE, { name: 'handle', about: 'as gates show prints it', required: true }],
    flags: [...WHO],
    examples: [
      { line: 'ambit vault reveal gate_run_1f0…_1 sealed:v1:9a4… --as ana --role finance', about: 'on record as hers' },
    ],
    load: async () => (await import('../actions/vault.ts')).revealSealed,
  },
  {
    name: 'vault erase',
    about: 'Destroy the key of a tenant, and with it everything that was sealed for it; runs replay as before',
    words: [TENANT],
    flags: [{ flag: '--yes', about: 'what is erased is gone, and that is meant' }, REASON, ...WHO],
    examples: [
      {
        line: 'ambit vault erase shop --reason "the contract has ended" --yes --as ana --role operator',
        about: 'takes the role of operators',
      },
    ],
    load: async () => (await import('../actions/vault.ts')).eraseVault,
  },
];
