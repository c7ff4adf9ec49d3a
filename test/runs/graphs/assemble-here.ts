import { knownModels } from '../../../src/adapters/ai-sdk/models/known-models.ts';
import { ajvSchemaCheck } from '../../../src/adapters/ajv/ajv-schema-check.ts';
import { memoryFacts } from '../../../src/adapters/memory/memory-facts.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { ed25519 } from '../../../src/adapters/node/ed25519.ts';
import { gzipArchive } from '../../../src/adapters/node/files.ts';
import { randomIds, sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { systemClock, systemTimer } from '../../../src/adapters/node/system-clock.ts';
import { nodeProcess } from '../../../src/adapters/node/this-process.ts';
import { workspaceFiles } from '../../../src/adapters/node/workspace-files.ts';
import { assemble } from '../../../src/agent/assemble.ts';
import type { AmbitOptions } from '../../../src/agent/options.ts';
import type { HostOptions } from '../../../src/session/host.ts';

/** The parts of a host of one agent, each one checked, with the adapters of this machine and a journal in memory. */
export function assembleHere(options: AmbitOptions): HostOptions {
  return assemble(options, {
    hash: sha256,
    schemas: () => ajvSchemaCheck().compile,
    signatures: ed25519,
    models: knownModels,
    clock: systemClock,
    timer: systemTimer,
    ids: randomIds,
    process: nodeProcess(),
    files: workspaceFiles,
    archive: gzipArchive,
    openStore: () => memoryJournal({ hash: sha256 }),
    factsOf: () => memoryFacts,
  });
}
