import type { CompileSchema } from '../kernel/index.ts';
import type { Hash } from '../model/json/hash.ts';
import type { Clock, Ids, Timer } from '../ports/clock.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { ThisProcess } from '../ports/journal/scheduler.ts';
import type { Signatures } from '../ports/keys.ts';
import type { Models } from '../ports/model/language-model.ts';
import type { Archive } from '../ports/store/artifact-store.ts';
import type { FactsStore } from '../ports/store/facts-store.ts';
import type { WorkspaceFiles } from '../ports/workspace-files.ts';

/** The system functions and libraries that a runtime needs. Only the composition root knows the implementations. */
export interface Machine {
  readonly hash: Hash;
  /** Creates a compiler for one set of schemas that may refer to each other. */
  readonly schemas: () => CompileSchema;
  readonly signatures: Signatures;
  readonly models: Models;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly process: ThisProcess;
  /** Creates the files of one runtime. */
  readonly files: () => WorkspaceFiles;
  /** Writes a run to one file and reads it back. */
  readonly archive: Archive;
  /** Opens the journal that the option `store` names. */
  readonly openStore: (store: string) => Journal;
  /** Keeps facts of the runs of a store: beside its file, or in the process. */
  readonly factsOf: (store: string) => () => FactsStore;
}
