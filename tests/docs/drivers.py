"""What is put below an example to run it: reads requests from stdin, prints what the example believes."""

PYTHON = """
import json
import sys

print(json.dumps([
    [
        verify(base64.b64decode(case["body"]), case["headers"], case["secret"]),
        verify_plain(
            base64.b64decode(case["body"]), case["headers"].get("x-webhook-signature", ""), case["secret"]
        ),
    ]
    for case in json.load(sys.stdin)
]))
"""

PYTHON_PACKAGE = """
import base64
import json
import sys

print(json.dumps([
    read_delivery(base64.b64decode(case["body"]), case["headers"], case["secret"]) is not None
    for case in json.load(sys.stdin)
]))
"""

NODE = """
const cases = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(({ body, headers, secret }) => [
  verify(Buffer.from(body, "base64"), headers, secret),
  verifyPlain(Buffer.from(body, "base64"), headers["x-webhook-signature"], secret),
])));
"""

NODE_PACKAGE = """
const cases = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(({ body, headers, secret }) =>
  readDelivery(Buffer.from(body, "base64"), headers, secret) !== null)));
"""

PHP = """
$answers = [];
foreach (json_decode(stream_get_contents(STDIN), true) as $case) {
    $body = base64_decode($case['body']);
    $signature = $case['headers']['x-webhook-signature'] ?? '';
    $answers[] = [
        verify($body, $case['headers'], $case['secret']),
        verify_plain($body, $signature, $case['secret']),
    ];
}
echo json_encode($answers);
"""

GO = """package main

import (
	"encoding/json"
	"net/http"
	"os"

	"check/webhooks"
)

func main() {
	var cases []struct {
		Body    []byte
		Headers map[string]string
		Secret  string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	answers := [][]bool{}
	for _, one := range cases {
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		answers = append(answers, []bool{
			webhooks.Verify(one.Body, headers, one.Secret),
			webhooks.VerifyPlain(one.Body, headers.Get("X-Webhook-Signature"), one.Secret),
		})
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
"""
