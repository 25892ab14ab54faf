export default { test: { include: ["fails.mts"] } };
