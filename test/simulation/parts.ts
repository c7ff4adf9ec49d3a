import { ajvSchemaCheck } from '../../src/adapters/ajv/ajv-schema-check.ts';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { replayRun } from '../../src/replay/replay.ts';
import { type Simulator, type SimulatorParts, simulator } from '../../src/testing/simulator/simulate.ts';

const schemas = ajvSchemaCheck();

/** The production parts. */
export const PARTS: SimulatorParts = {
  hash: sha256,
  compileSchema: (schema) => schemas.compile(schema),
  replay: replayRun,
};

export const SIMULATOR: Simulator = simulator(PARTS);
