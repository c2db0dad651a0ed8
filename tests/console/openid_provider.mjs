// A real OpenID Connect provider on loopback; it prints its issuer. People are who they say they are, in the group they name.
import http from "node:http";
import Provider from "oidc-provider";

const groups = { ada: ["admins"], bo: ["helpers", "support"], eve: ["strangers"], mallory: ["admins"] };
const server = http.createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{
      client_id: "lootkeep",
      client_secret: "a client secret: with % signs",
      redirect_uris: [process.argv[2]],
    }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@store.example`,
        email_verified: id !== "mallory",
        name: `${id} at the provider`,
        groups: groups[id] ?? [],
      }),
    }),
    pkce: { required: () => true },
    cookies: { keys: ["only for tests"] },
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
