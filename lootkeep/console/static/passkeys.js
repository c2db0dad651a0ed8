// Passkeys: asks the browser for one when a form with `data-passkey` is sent, and sends its answer along.
const CAN = window.PublicKeyCredential?.parseRequestOptionsFromJSON;
const ASK = {
  create: (options) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  get: (options) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
};
// Pressed twice, it asks once: a second answer would be a second passkey.
let isAsking = false;
const answer = async (form, submitter) => {
  isAsking = true;
  const options = JSON.parse(form.dataset.passkey);
  const says = form.querySelector("[role=alert]");
  says.hidden = true;
  try {
    // Its characters are those of base64url, too.
    options.challenge = btoa(form.elements.token.value).replace(/=+$/, "");
    form.elements.credential.value = JSON.stringify(await ASK[form.dataset.ask](options));
    form.requestSubmit(submitter);
  } catch (error) {
    says.textContent = error.name === "NotAllowedError" ? "The passkey was not used. Try again." : error.name === "InvalidStateError" ? "This device has a passkey here already." : `This browser cannot use a passkey here: ${error.message}`;
    says.hidden = false;
  } finally {
    isAsking = false;
  }
};
// Before any other script: the form is sent once there is an answer.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!CAN || !form.dataset.passkey || form.elements.credential.value || event.submitter?.formNoValidate) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!isAsking) answer(form, event.submitter);
}, true);
const hide = () => {
  for (const form of document.querySelectorAll("form[data-passkey]")) form.hidden = !CAN;
};
document.addEventListener("shown", hide);
hide();
