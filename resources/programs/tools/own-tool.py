import asyncio
import importlib.util
import inspect
import json
import sys

result_to = sys.stdout
sys.stdout = sys.stderr
place = importlib.util.spec_from_file_location("dewpoint_tool", sys.argv[1])
module = importlib.util.module_from_spec(place)
sys.modules["dewpoint_tool"] = module
place.loader.exec_module(module)
execute = module.tool.get("execute") or module.execute
result = execute(json.load(sys.stdin))
if inspect.isawaitable(result):
    async def wait():
        return await result
    result = asyncio.run(wait())
if result is not None:
    result_to.write(result if isinstance(result, str) else json.dumps(result, indent=2, ensure_ascii=False, default=str))
result_to.flush()
