import { checkHouse } from './house/check.ts';
import { readHouse } from './house/read.ts';

/** `node scripts/check-house.ts`: prints every broken wall, exits 1 if there is one. */
const house = readHouse(process.cwd());
const violations = checkHouse(house);
for (const { wall, path, line, message } of violations) console.log(`${path}:${line} [${wall}] ${message}`);
console.log(`house: ${house.files.size} files, ${violations.length} broken walls`);
process.exitCode = violations.length > 0 ? 1 : 0;
