import { machinery } from '../../src/compose.ts';
import { type Simulator, type SimulatorParts, simulator } from '../../src/testing/simulator/simulate.ts';

/** The production parts. */
export const PARTS: SimulatorParts = machinery();

export const SIMULATOR: Simulator = simulator(PARTS);
